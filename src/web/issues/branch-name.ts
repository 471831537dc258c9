import type { IssueRow } from "../../domain/work/issues/queries.ts";

const longestSlug = 50;

/** The name of a branch for an issue: its number and the words of its title. */
export function proposedBranch({ number, title }: Pick<IssueRow, "number" | "title">): string {
  const words = title
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-/, "");
  const short = words.length <= longestSlug ? words : words.slice(0, longestSlug).replace(/-[^-]*$/, "");
  return `${number}-${short}`.replace(/-$/, "");
}
