import { typedText } from "../../domain/git/contents/line-endings.ts";
import { parsePointer } from "../../domain/git/lfs/pointer.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { Editing } from "./editing.ts";

/** A larger file is not edited here: a browser's text area is slow with it. */
export const largestText = 1024 * 1024;

/** A file as a form edits it. */
export interface EditedFile {
  readonly path: string;
  readonly oid: string;
  readonly bytes: Uint8Array | null;
  readonly isLink: boolean;
  /** With line feeds alone; null: it is not edited here. */
  readonly text: string | null;
  /** Why it is not edited here, or what to know of it. A sentence. */
  readonly remark: string | null;
}

/** Reads the file that is edited; null where there is none. */
export async function readEdited(forge: Forge, { revision, path }: Editing): Promise<EditedFile | null> {
  if (revision === null || path === "") {
    return null;
  }
  const found = await forge.git.contents.find(revision.view, revision.commit, path, { lastCommits: false });
  if (found?.kind !== "file") {
    return null;
  }
  const { entry, bytes } = found;
  const about = { path, oid: entry.oid, bytes, isLink: entry.type === "symlink" };
  const not = (remark: string) => ({ ...about, text: null, remark });
  if (entry.type === "submodule") {
    return not("This is a submodule: a commit of another repository.");
  }
  if (bytes === null || bytes.length > largestText) {
    return not(
      "This file has more than 1 MiB, so it is not edited here. You can move it, or upload another one in its place.",
    );
  }
  const text = typedText(bytes);
  if (text === null) {
    return not(
      "This file is not text in UTF-8, so it is not edited here. You can move it, or upload another one in its place.",
    );
  }
  const remark =
    parsePointer(bytes) === null
      ? null
      : "This file is kept with Git LFS: its text only points to the content. Upload with git to change that.";
  return { ...about, text, remark };
}
