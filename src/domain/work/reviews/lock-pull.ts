import type { RepositoryAccess } from "../../../auth/subject.ts";
import { checkMayTakePart } from "../comments/may-take-part.ts";
import { NotFound } from "../../spine/errors.ts";
import { getLockedIssue } from "../issues/edit-issue.ts";
import type { Work } from "../../spine/work.ts";
import { findReview, lockPullRow, type ReviewedPull, type ReviewRow } from "./queries.ts";

/** Locks a pull request: nobody else reviews it, and its head stays where it is, until the transaction ends. Throws NotFound. */
export async function lockPull(work: Work, access: RepositoryAccess, number: number): Promise<ReviewedPull> {
  const issue = await getLockedIssue(work, access, number);
  const pull = await lockPullRow(work.tx, issue.id);
  if (pull === null) {
    throw new NotFound("pull request", String(number));
  }
  return { issue, pull };
}

/** Locks a pull request for somebody who wants to say something about it. Throws NotFound, IssueLocked and Forbidden. */
export async function lockToReview(work: Work, access: RepositoryAccess, number: number): Promise<ReviewedPull> {
  const locked = await lockPull(work, access, number);
  await work.demand({ on: "repository", do: "participate", unit: "pulls" });
  await checkMayTakePart(work, access, locked.issue);
  return locked;
}

/** A review of a locked pull request that the doer may know of. Throws NotFound. */
export async function getReview(work: Work, { pull }: ReviewedPull, id: number): Promise<ReviewRow> {
  const row = await findReview(work.tx, pull.issueId, id, work.actorId);
  if (row === null) {
    throw new NotFound("review", String(id));
  }
  return row;
}
