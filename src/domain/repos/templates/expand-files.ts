import type { FileChange } from "../../../git/edit/apply-changes.ts";
import type { RepositoryView } from "../../../git/job/repository-view.ts";
import type { TreeItem } from "../../../git/tree/tree-item.ts";
import type { Forge } from "../../spine/forge.ts";
import { TemplateRefused } from "./errors.ts";
import { readTemplateFile, templateFilePaths } from "./template-file.ts";
import { inTurns } from "../../../lib/turns.ts";
import { expand, piecesOf } from "./variables.ts";

/** More is not held in memory while it is expanded. Files in which nothing is replaced are not counted. */
const mostFiles = 10_000;
const mostBytesRead = 16 * 1024 * 1024;
const mostBytesMade = 64 * 1024 * 1024;
const mostListBytes = 256 * 1024;
/** Entries of a listing, each with its path. */
const pageSize = 5000;

/**
 * The changes that make a repository's files of those of a template's commit: variables are replaced in the names and
 * contents of the files that the template names, and its own list of these is left out. The content of symbolic links stays. Throws
 * TemplateRefused when the template names more than is expanded here.
 */
export async function expandFiles(
  { git: { engine } }: Forge,
  view: RepositoryView,
  commit: string,
  variables: ReadonlyMap<string, string>,
): Promise<FileChange[]> {
  const lists = await Promise.all(
    templateFilePaths.map((path) => engine.call(view, "readPath", { commit, path, maxBytes: mostListBytes })),
  );
  const present = lists.filter((list) => list?.type === "blob");
  const [list] = present;
  if (!list) {
    return [];
  }
  if (list.bytes === null) {
    throw new TemplateRefused(`"${list.path}" has more than ${mostListBytes} bytes`);
  }
  // A character for each byte, as the contents are read.
  const inBytes = new Map([...variables].map(([name, value]) => [name, Buffer.from(value).toString("latin1")]));
  const isMeant = readTemplateFile(new TextDecoder().decode(list.bytes));
  const removed = present.flatMap((file) => (file ? [change("delete", file.path)] : []));
  const own = new Set<string>(templateFilePaths);
  const files: TreeItem[] = [];
  for (let skip = 0, more = true; more; skip += pageSize) {
    const page = await engine.call(view, "listTree", {
      commit,
      path: "",
      recursive: true,
      lastCommits: false,
      skip,
      limit: pageSize,
    });
    const entries = page?.entries ?? [];
    for await (const entry of inTurns(entries)) {
      const { type, path } = entry;
      if ((type === "blob" || type === "symlink") && !own.has(path) && isMeant(path)) {
        files.push(entry);
      }
    }
    if (files.length > mostFiles) {
      throw new TemplateRefused(`it names more than ${mostFiles} files in which variables are to be replaced`);
    }
    more = skip + entries.length < (page?.total ?? 0);
  }
  return [...removed, ...(await expandAll(files))];

  async function expandAll(items: readonly TreeItem[]): Promise<FileChange[]> {
    const made: FileChange[] = [];
    let read = 0;
    let written = 0;
    const grown = (bytes: number) => {
      written += bytes;
      if (written > mostBytesMade) {
        throw new TemplateRefused("what its variables become is too large");
      }
    };
    for (const item of items) {
      read += item.type === "blob" ? (item.size ?? 0) : 0;
      if (read > mostBytesRead) {
        throw new TemplateRefused("the files in which variables are to be replaced are too large together");
      }
      const path = expand(item.path, variables);
      const content = item.type === "blob" ? await expandContent(item.path, grown) : null;
      if (content !== null || path !== item.path) {
        made.push({ ...change("update", path), fromPath: item.path, bytes: content });
      }
    }
    return made;
  }

  /** Null when it stays as it is. Bytes that are no text pass through unchanged. */
  async function expandContent(path: string, grown: (bytes: number) => void): Promise<Uint8Array | null> {
    const found = await engine.call(view, "readPath", { commit, path, maxBytes: mostBytesRead });
    const bytes = found?.bytes ?? null;
    if (bytes === null || !bytes.includes(0x24)) {
      return null;
    }
    const expanded: Uint8Array[] = [];
    let differs = false;
    for await (const before of inTurns(piecesOf(Buffer.from(bytes).toString("latin1")))) {
      const after = expand(before, inBytes, grown);
      differs ||= after !== before;
      expanded.push(Buffer.from(after, "latin1"));
    }
    return differs ? Buffer.concat(expanded) : null;
  }
}

function change(operation: FileChange["operation"], path: string): FileChange {
  return { operation, path, fromPath: null, bytes: null, mode: null, expectedOid: null };
}
