import type { RepositoryAccess } from "../../../auth/subject.ts";
import { holdTextsBy } from "../issues/hold-texts.ts";
import { newJob } from "../../../queue/enqueue.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { Forbidden } from "../../spine/errors.ts";
import { namedRepository } from "../../spine/events/names.ts";
import type { ReviewKind } from "../../../db/schema/pulls.ts";
import { adoptFiles } from "../issues/loose-files.ts";
import { recordMentions } from "../issues/mentions.ts";
import { namedIssue } from "../issues/named-issue.ts";
import { loadRules } from "../../git/protections/rule-queries.ts";
import type { Work } from "../../spine/work.ts";
import { countLineComments, insertLineComment, listLineComments, publishLineComments } from "./comment-queries.ts";
import { PullClosed } from "./errors.ts";
import { getReview, lockToReview } from "./lock-pull.ts";
import { findOfficialReviewers } from "./official-queries.ts";
import { checkRoom, type PlacedReview } from "./place-comments.ts";
import { withdraw } from "./request-reviews.ts";
import {
  addReviewComments,
  deciding,
  dismissFormerDecisions,
  findPendingReview,
  insertReview,
  removeGivenRequests,
  removeReview,
  updateReview,
  type ReviewedPull,
  type ReviewRow,
} from "./queries.ts";
import { isGuest } from "../issues/access.ts";

/** The verdict of a submitted review; "pending": it is not submitted. */
export type ReviewVerdict = Exclude<ReviewKind, "request">;

/** The reason that jobs after reviews are for. */
export const followReason = "reviews";

/** The job to run when the head of a pull request moved, or a review was about another commit. */
export function followPull(issueId: number) {
  return newJob("reviews", { issueId }, { key: String(issueId) });
}

/**
 * Reviews a pull request. A doer with a pending review adds to it, and submits it unless it stays pending. Throws
 * NotFound, IssueLocked, Forbidden, PullClosed and InvalidInput that names the field.
 */
export async function createReview(
  work: Work,
  access: RepositoryAccess,
  number: number,
  { verdict, body, placed }: { verdict: ReviewVerdict; body: string; placed: PlacedReview },
): Promise<ReviewRow> {
  const locked = await lockToReview(work, access, number);
  const doerId = userOf(work);
  const pending = await findPendingReview(work.tx, locked.pull.issueId, doerId);
  const comments = placed.comments.length + (pending === null ? 0 : await countLineComments(work.tx, pending.id));
  const text = body.trim() === "" ? (pending?.body ?? "") : body;
  checkVerdict(work, locked, verdict, { hasText: text.trim() !== "", comments });
  checkRoom(comments);
  const commitOid = Buffer.from(placed.commit, "hex");
  const stale = !commitOid.equals(locked.pull.headOid);
  const columns = { body: text, commitOid, stale };
  const row =
    pending === null
      ? await insertReview(work.tx, { ...columns, pullId: locked.pull.issueId, kind: "pending", reviewerId: doerId })
      : await updateReview(work.tx, pending.id, columns);
  for (const comment of placed.comments) {
    const { repositoryId, id: issueId } = locked.issue;
    const { comment: added } = await insertLineComment(
      work.tx,
      {
        repositoryId,
        issueId,
        reviewId: row.id,
        authorId: doerId,
        body: comment.body,
        byGuest: isGuest(access),
        pending: true,
      },
      comment.place,
    );
    await adoptFiles(work, { issueId, commentId: added.id }, comment.body);
  }
  await holdTextsBy(work, access);
  if (stale) {
    await work.enqueueForServer(followReason, followPull(locked.pull.issueId));
  }
  return verdict === "pending" ? row : submit(work, access, locked, row, verdict);
}

/** Submits a pending review of the doer's. Throws NotFound, IssueLocked, Forbidden, PullClosed and InvalidInput that names the field. */
export async function submitReview(
  work: Work,
  access: RepositoryAccess,
  number: number,
  id: number,
  { verdict, body }: { verdict: ReviewVerdict; body: string },
): Promise<ReviewRow> {
  const locked = await lockToReview(work, access, number);
  const row = await getReview(work, locked, id);
  if (row.kind !== "pending") {
    throw new InvalidInput(`Review ${id} is submitted already`, "id");
  }
  if (verdict === "pending") {
    throw new InvalidInput("event must be one of APPROVED, REQUEST_CHANGES, COMMENT", "event");
  }
  const text = body.trim() === "" ? row.body : body;
  const comments = await countLineComments(work.tx, row.id);
  checkVerdict(work, locked, verdict, { hasText: text.trim() !== "", comments });
  return submit(work, access, locked, { ...row, body: text }, verdict);
}

/** The review that the doer has begun and not submitted; a new one, of the head, if there is none. Throws Forbidden. */
export async function openDraft(work: Work, { pull }: ReviewedPull): Promise<ReviewRow> {
  const reviewerId = userOf(work);
  return (
    (await findPendingReview(work.tx, pull.issueId, reviewerId)) ??
    (await insertReview(work.tx, { pullId: pull.issueId, kind: "pending", reviewerId, commitOid: pull.headOid }))
  );
}

function userOf({ actorId }: Work): number {
  if (actorId === null) {
    throw new Forbidden("Only users review pull requests");
  }
  return actorId;
}

/** Throws InvalidInput that names the field, and PullClosed. */
function checkVerdict(
  { actorId }: Work,
  { issue }: ReviewedPull,
  verdict: ReviewVerdict,
  { hasText, comments }: { hasText: boolean; comments: number },
): void {
  if (deciding.includes(verdict)) {
    if (issue.closedAt !== null) {
      throw new PullClosed(issue.number);
    }
    if (issue.authorId === actorId) {
      const what = verdict === "approve" ? "approve" : "request changes of";
      throw new InvalidInput(`event: nobody can ${what} their own pull request`, "event");
    }
  }
  if (verdict === "request-changes" && !hasText) {
    throw new InvalidInput("body: a review that requests changes says which", "body");
  }
  if (verdict !== "approve" && !hasText && comments === 0) {
    throw new InvalidInput("body: a review has a body, or comments on lines", "body");
  }
}

async function submit(
  work: Work,
  access: RepositoryAccess,
  { issue, pull }: ReviewedPull,
  row: ReviewRow,
  kind: Exclude<ReviewVerdict, "pending">,
): Promise<ReviewRow> {
  const { tx } = work;
  const doerId = userOf(work);
  const decides = deciding.includes(kind);
  if (decides) {
    await dismissFormerDecisions(tx, pull.issueId, doerId);
  }
  await removeGivenRequests(tx, pull.issueId, doerId, decides);
  const official = decides && (await isOfficial(work, access, pull.baseBranch, doerId));
  const submitted = await updateReview(tx, row.id, { kind, body: row.body, official, submittedAt: new Date() });
  const comments = await publishLineComments(tx, row.id);
  await addReviewComments(tx, pull.issueId, comments.length);
  const told = { repository: namedRepository(access), issue: namedIssue(issue) };
  work.tell({
    kind: "review.submitted",
    ...told,
    review: { id: row.id, kind },
    body: row.body,
    byGuest: isGuest(access),
  });
  await holdTextsBy(work, access);
  await recordMentions(work, access, issue, [row.body, ...comments.map(({ body }) => body)].join("\n"));
  return submitted;
}

/** Whether the doer's review counts for a branch. */
async function isOfficial(work: Work, { repository }: RepositoryAccess, branch: string, doerId: number) {
  const { branches } = await loadRules(work.tx, repository.id, doerId);
  return (await findOfficialReviewers(work.tx, repository.id, branches.find(branch), [doerId])).has(doerId);
}

/**
 * Deletes a review with its comments on lines: one's own, or any for site administrators. Nobody else deletes what somebody said of their work;
 * administrators of the repository dismiss it. Withdraws a request by the rule of
 * `withdraw`. Throws NotFound and Forbidden.
 */
export async function deleteReview(work: Work, access: RepositoryAccess, number: number, id: number): Promise<void> {
  const locked = await lockToReview(work, access, number);
  const row = await getReview(work, locked, id);
  if (row.kind === "request") {
    await withdraw(work, access, locked, row);
    return;
  }
  if (row.reviewerId === null || row.reviewerId !== work.actorId) {
    await work.demand({ on: "instance", do: "administer" });
  }
  const { issue, pull } = locked;
  const comments = await listLineComments(work.tx, id, work.actorId);
  await removeReview(work.tx, id);
  if (row.kind !== "pending") {
    await addReviewComments(work.tx, pull.issueId, -comments.length);
    const told = { repository: namedRepository(access), issue: namedIssue(issue) };
    work.tell({ kind: "review.deleted", ...told, review: { id, kind: row.kind } });
  }
}
