import type { Version } from "./merge-path.ts";

/**
 * Why the origin of a file that one side removed matters: the other side changed its content; or it tells where the
 * directory went, in which the other side put something new.
 */
type SourceRelevance = "content" | "location";

/**
 * Whether a directory that one side removed matters: "itself" when the other side put files there, "ancestors" when it
 * did so further up, or further up a directory was looked at for that reason.
 */
export type DirectoryRelevance = "no" | "ancestors" | "itself";

/** The files that one side added and removed, as input for finding renames. */
export class RenameInput {
  /** in the order in which the merge came by them */
  readonly added: { readonly path: string; readonly version: Version }[] = [];
  readonly removed: { readonly path: string; readonly version: Version }[] = [];
  readonly relevant = new Map<string, SourceRelevance>();
  readonly removedDirectories = new Map<string, DirectoryRelevance>();

  add(path: string, version: Version): void {
    this.added.push({ path, version });
  }

  remove(path: string, version: Version, relevance: SourceRelevance | null): void {
    this.removed.push({ path, version });
    if (relevance !== null) {
      this.relevant.set(path, relevance);
    }
  }
}
