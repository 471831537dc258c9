import type { RepositoryRow } from "../../../auth/subject.ts";
import { typedText } from "../../git/contents/line-endings.ts";
import type { Revision } from "../../git/refs/revisions.ts";
import type { Forge } from "../../spine/forge.ts";

/** What became of a typed text and of the file that it was typed for. */
export type MergedEdit =
  /** The file is as the editor showed it. */
  | { readonly kind: "unchanged" }
  /** There is no such file any more, or no text. */
  | { readonly kind: "gone" }
  /** The file changed. The text has both changes; with conflicts, marks stand around the places where they differ. */
  | { readonly kind: "merged"; readonly text: string; readonly conflicts: number };

/**
 * Merges a typed text with what others made of the file while it was typed. `seen`: oid of the commit that the editor showed; one that the
 * repository does not reach any more counts as one without the file. Throws what the engine throws.
 */
export async function mergeEdit(
  forge: Forge,
  repository: RepositoryRow,
  { seen, tip, path, typed }: { seen: string; tip: Revision; path: string; typed: string },
): Promise<MergedEdit> {
  const { contents, revisions, engine } = forge.git;
  if (seen === tip.commit) {
    return { kind: "unchanged" };
  }
  const read = async (revision: Revision) => {
    const found = await contents.find(revision.view, revision.commit, path, { lastCommits: false });
    return found?.kind === "file" && found.bytes !== null ? found : null;
  };
  const before = /^[0-9a-f]{40,64}$/.test(seen) ? await revisions.findCommit(repository, seen) : null;
  const [base, now] = [before === null ? null : await read(before), await read(tip)];
  const theirs = now?.bytes == null ? null : typedText(now.bytes);
  if (now === null || theirs === null) {
    return { kind: "gone" };
  }
  if (base !== null && base.entry.oid === now.entry.oid) {
    return { kind: "unchanged" };
  }
  const baseText = base?.bytes == null ? "" : (typedText(base.bytes) ?? "");
  const merged = await engine.call(tip.view, "mergeTexts", {
    base: Buffer.from(baseText),
    ours: Buffer.from(typed),
    theirs: Buffer.from(theirs),
    labels: { ours: "your text", theirs: tip.name },
  });
  return merged === null
    ? { kind: "gone" }
    : { kind: "merged", text: Buffer.from(merged.bytes).toString(), conflicts: merged.conflicts };
}
