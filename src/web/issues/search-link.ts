import type { RepositoryAccess } from "../../auth/subject.ts";
import { issuesLink } from "../links.ts";
import { everyOpenIssue, writeIssueQuery, type IssueQuery } from "./issue-query.ts";

/** The list of a repository's open issues, or pull requests, that match; `wanted` says what else is asked for. */
export function issueSearchLink(
  root: string,
  access: RepositoryAccess,
  kind: { isPull: boolean },
  wanted: Partial<IssueQuery>,
): string {
  const q = writeIssueQuery({ ...everyOpenIssue, ...wanted });
  return `${issuesLink(root, access, kind)}?${new URLSearchParams({ q }).toString()}`;
}
