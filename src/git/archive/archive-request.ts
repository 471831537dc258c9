import type { Decorations } from "./format-commit.ts";

export const archiveFormats = ["tar", "tar.gz", "zip"] as const;
export type ArchiveFormat = (typeof archiveFormats)[number];

export interface ArchiveRequest {
  readonly format: ArchiveFormat;
  /** hexadecimal oid of a commit, a tree, or a tag of one */
  readonly treeish: string;
  /** goes before every path; a directory when it ends in a slash */
  readonly prefix: string;
  /** only these files and directories, without a slash at either end; empty for everything */
  readonly paths: readonly string[];
  /**
   * only these files: their paths in the tree, and those that they are to have behind the prefix. They are plain files then, without
   * directories around them, and `export-ignore` and `export-subst` count for nothing.
   */
  readonly files?: ReadonlyMap<string, string>;
  /** for files that ask for it (`export-subst`); null for none */
  readonly decorations: Decorations | null;
  /** time of all entries, seconds since 1970; by default the commit's */
  readonly seconds?: number;
  /** 0 (stored as it is) to 9, of tar.gz and zip */
  readonly level?: number;
}
