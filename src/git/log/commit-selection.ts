/** Which commits to list, and in which order. */
export interface CommitSelection {
  /** positions of commits to start from */
  readonly tips: readonly number[];
  /** positions of commits that are left out with all that they reach */
  readonly not: readonly number[];
  /** only commits that change one of these paths (files or directories); empty for all */
  readonly paths: readonly string[];
  /** follows the first parent of merges alone */
  readonly firstParent?: boolean;
  /** with one path, that of a file: goes on under its former name where it was renamed, as `git log --follow` does */
  readonly follow?: boolean;
  /** "date": the latest committer date first, but none before a child that was listed; "topological": `--topo-order` */
  readonly order?: "date" | "topological";
  /** committer date in seconds: older commits, and what only they reach, are left out */
  readonly since?: number;
  /** committer date in seconds: newer commits are not listed */
  readonly until?: number;
  /** text in the author's line (`Name <mail>`) */
  readonly author?: string;
  /** text in the committer's line */
  readonly committer?: string;
  /** text in a line of the message */
  readonly message?: string;
}
