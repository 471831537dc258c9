import type { RepositoryAccess, RepositoryRow } from "../../auth/subject.ts";
import type { MovingStyle } from "../../domain/work/merges/merge-styles.ts";

interface StyleWords {
  readonly style: MovingStyle;
  readonly allowedBy: keyof RepositoryRow;
  readonly words: string;
  readonly short: string;
  /** What it makes of the base. */
  readonly means: string;
}

const styleWords: readonly StyleWords[] = [
  {
    style: "merge",
    allowedBy: "allowMergeCommits",
    words: "Make a merge commit",
    short: "Merge commit",
    means: "All commits stay as they are, and a new one joins them with the base.",
  },
  {
    style: "squash",
    allowedBy: "allowSquashMerge",
    words: "Squash into one commit",
    short: "Squash",
    means: "One new commit has the changes of all of them.",
  },
  {
    style: "rebase",
    allowedBy: "allowRebase",
    words: "Rebase, then fast-forward",
    short: "Rebase",
    means: "Each commit is made again on top of the base. There is no merge commit.",
  },
  {
    style: "rebase-merge",
    allowedBy: "allowRebaseExplicit",
    words: "Rebase, then make a merge commit",
    short: "Rebase and merge commit",
    means: "Each commit is made again on top of the base, and a new one joins them with it.",
  },
  {
    style: "fast-forward-only",
    allowedBy: "allowFastForwardOnlyMerge",
    words: "Fast-forward only",
    short: "Fast-forward",
    means: "The base moves to the head. No commit is made, so the base must have none of its own.",
  },
];

/** The styles in which the repository lets pull requests be merged, its own one first. */
export function allowedStyles({ repository }: RepositoryAccess): StyleWords[] {
  const allowed = styleWords.filter(({ allowedBy }) => repository[allowedBy] === true);
  const isDefault = ({ style }: StyleWords) => style === repository.defaultMergeStyle;
  return [...allowed.filter(isDefault), ...allowed.filter((one) => !isDefault(one))];
}
