import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { OnIssue } from "../../repos/attachments/queries.ts";
import { NotFound } from "../../spine/errors.ts";
import type { NamedIssue } from "../../spine/events/names.ts";
import type { Work } from "../../spine/work.ts";
import { demandWriter, unitOf } from "../issues/access.ts";
import { getLockedIssue } from "../issues/edit-issue.ts";
import { namedIssue } from "../issues/named-issue.ts";
import { lockOwnEntry } from "./write-comment.ts";

/** A text, its files and its former versions: the number of an issue, or the id of a comment. */
export type TextTarget = { number: number } | { commentId: number };

/** Locks a text that the doer may change: what they wrote themselves, or anything for those who may write. Throws NotFound, Forbidden. */
export async function lockText(
  work: Work,
  access: RepositoryAccess,
  target: TextTarget,
): Promise<{ on: OnIssue; issue: NamedIssue }> {
  if ("commentId" in target) {
    const { comment, issue } = await lockOwnEntry(work, access, target.commentId);
    if (comment.kind !== "comment") {
      throw new NotFound("comment", String(target.commentId));
    }
    return { on: { issueId: issue.id, commentId: comment.id }, issue: namedIssue(issue) };
  }
  const row = await getLockedIssue(work, access, target.number);
  if (work.actorId !== null && row.authorId === work.actorId) {
    await work.demand({ on: "repository", do: "participate", unit: unitOf(row) });
  } else {
    await demandWriter(work, access, row);
  }
  return { on: { issueId: row.id, commentId: null }, issue: namedIssue(row) };
}
