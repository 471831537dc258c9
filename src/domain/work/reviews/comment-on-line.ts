import type { RepositoryAccess } from "../../../auth/subject.ts";
import { holdTextsBy } from "../issues/hold-texts.ts";
import { InvalidInput } from "../../../lib/errors.ts";
import { Forbidden, NotFound } from "../../spine/errors.ts";
import { adoptFiles } from "../issues/loose-files.ts";
import { deleteEntry } from "../comments/queries.ts";
import { isGuest, mayWriteIssue } from "../issues/access.ts";
import { recordMentions } from "../issues/mentions.ts";
import type { Work } from "../../spine/work.ts";
import {
  countLineComments,
  findLineComment,
  insertLineComment,
  lastLineComment,
  passConversationOn,
  resolveConversation,
  type LineComment,
  updateDraft,
  type NewPlace,
} from "./comment-queries.ts";
import { getReview, lockToReview } from "./lock-pull.ts";
import { checkCommentText, checkRoom, type PlacedReview } from "./place-comments.ts";
import { addReviewComments, findPendingReview, type ReviewedPull, type ReviewRow } from "./queries.ts";
import { createReview, followPull, followReason, openDraft } from "./write-review.ts";
import { editComment } from "../comments/write-comment.ts";
import { TextChanged } from "../issues/edit-issue.ts";
import { numberOfIssue } from "./head-queries.ts";

/** Adds a comment on a line to a review that the doer may know of. Throws NotFound, IssueLocked, Forbidden and InvalidInput. */
export async function addLineComment(
  work: Work,
  access: RepositoryAccess,
  number: number,
  reviewId: number,
  placed: PlacedReview,
): Promise<LineComment> {
  const locked = await lockToReview(work, access, number);
  const row = await getSaid(work, locked, reviewId);
  const [one] = placed.comments;
  if (one === undefined) {
    throw new Error("A comment was placed nowhere");
  }
  if (!Buffer.from(placed.commit, "hex").equals(locked.pull.headOid)) {
    await work.enqueueForServer(followReason, followPull(locked.pull.issueId));
  }
  return say(work, access, locked, row, one);
}

/**
 * Replies to a comment on a line, where that one is. The reply belongs to the same review, or, as a draft, to the one that the doer has begun. Throws NotFound, IssueLocked, Forbidden and InvalidInput.
 */
export async function replyToComment(
  work: Work,
  access: RepositoryAccess,
  number: number,
  commentId: number,
  body: string,
  { isDraft = false } = {},
): Promise<LineComment> {
  checkCommentText(body);
  const locked = await lockToReview(work, access, number);
  const first = await findLineComment(work.tx, access.repository.id, commentId, work.actorId);
  if (first === null || first.comment.issueId !== locked.issue.id || first.comment.reviewId === null) {
    throw new NotFound("comment", String(commentId));
  }
  const row = isDraft ? await openDraft(work, locked) : await getSaid(work, locked, first.comment.reviewId);
  const { commentId: firstId, replyTo, resolvedAt: _, resolverId: __, ...place } = first.place;
  return say(work, access, locked, row, { body, place: { ...place, replyTo: replyTo ?? firstId } });
}

/** A review that comments belong to: not a request. Throws NotFound. */
async function getSaid(work: Work, locked: ReviewedPull, id: number): Promise<ReviewRow> {
  const row = await getReview(work, locked, id);
  if (row.kind === "request") {
    throw new InvalidInput(`Review ${id} is a request that was not answered yet: it has no comments`, "id");
  }
  return row;
}

async function say(
  work: Work,
  access: RepositoryAccess,
  { issue }: ReviewedPull,
  row: ReviewRow,
  { body, place }: { body: string; place: NewPlace },
): Promise<LineComment> {
  checkRoom((await countLineComments(work.tx, row.id)) + 1);
  const pending = row.kind === "pending";
  const said = await insertLineComment(
    work.tx,
    {
      repositoryId: access.repository.id,
      issueId: issue.id,
      reviewId: row.id,
      authorId: work.actorId,
      body,
      byGuest: isGuest(access),
      pending,
    },
    place,
  );
  await holdTextsBy(work, access);
  await adoptFiles(work, { issueId: issue.id, commentId: said.comment.id }, body);
  if (!pending) {
    await addReviewComments(work.tx, issue.id, 1);
    await recordMentions(work, access, issue, body);
  }
  return said;
}

/**
 * Comments on a line of a diff: alone, as a review of its own, or as a part of the review that the doer has begun or begins with it (`isDraft`).
 * While there is such a review, no comment is alone. Throws what `createReview` throws.
 */
export async function commentOnLine(
  work: Work,
  access: RepositoryAccess,
  number: number,
  { placed, isDraft }: { placed: PlacedReview; isDraft: boolean },
): Promise<{ commentId: number; isPending: boolean }> {
  const { pull } = await lockToReview(work, access, number);
  const begun = work.actorId === null ? null : await findPendingReview(work.tx, pull.issueId, work.actorId);
  const isPending = isDraft || begun !== null;
  const verdict = isPending ? "pending" : "comment";
  const row = await createReview(work, access, number, { verdict, body: "", placed });
  return { commentId: (await lastLineComment(work.tx, row.id)) ?? 0, isPending };
}

/**
 * Writes another text of a comment on a line, also of one in a review that is not submitted. `contentVersion`: of the text that it was made of.
 * Throws NotFound, IssueLocked, Forbidden, TextChanged, InvalidAttachment and InvalidInput.
 */
export async function editLineComment(
  work: Work,
  access: RepositoryAccess,
  number: number,
  commentId: number,
  { body, contentVersion }: { body: string; contentVersion: number },
): Promise<void> {
  checkCommentText(body);
  const { issue } = await lockToReview(work, access, number);
  const found = await findLineComment(work.tx, access.repository.id, commentId, work.actorId);
  if (found === null || found.comment.issueId !== issue.id) {
    throw new NotFound("comment", String(commentId));
  }
  if (!found.comment.pending) {
    await editComment(work, access, commentId, { body, writtenAt: null, contentVersion });
    return;
  }
  if (found.comment.contentVersion !== contentVersion) {
    throw new TextChanged();
  }
  await updateDraft(work.tx, commentId, body);
  await adoptFiles(work, { issueId: issue.id, commentId }, body);
  await holdTextsBy(work, access);
}

/** Deletes a comment on a line: one's own, or any for those who may write to pull requests. Throws NotFound and Forbidden. */
export async function deleteLineComment(
  work: Work,
  access: RepositoryAccess,
  number: number,
  reviewId: number,
  commentId: number,
): Promise<void> {
  const { issue } = await lockToReview(work, access, number);
  const found = await findLineComment(work.tx, access.repository.id, commentId, work.actorId);
  if (found === null || found.comment.issueId !== issue.id || found.comment.reviewId !== reviewId) {
    throw new NotFound("comment", String(commentId));
  }
  if (found.comment.authorId === null || found.comment.authorId !== work.actorId) {
    if (!mayWriteIssue(access, issue)) {
      throw new Forbidden("Only its author, and those who may write to pull requests, may delete a comment");
    }
    await work.demand({ on: "repository", do: "write", unit: "pulls" });
  }
  await passConversationOn(work.tx, commentId);
  await deleteEntry(work.tx, commentId);
  if (!found.comment.pending) {
    await addReviewComments(work.tx, issue.id, -1);
  }
}

/**
 * Says that a conversation is resolved, or open again: for the author of the pull request, and for those who may write to pull requests. Nothing happens to
 * one that is so already. Throws NotFound and Forbidden.
 */
export async function resolveComment(
  work: Work,
  access: RepositoryAccess,
  commentId: number,
  resolved: boolean,
): Promise<void> {
  const number = await numberOfIssue(work.tx, access.repository.id, commentId);
  const locked = number === null ? null : await lockToReview(work, access, number);
  const found = await findLineComment(work.tx, access.repository.id, commentId, work.actorId);
  if (locked === null || found === null || found.comment.reviewId === null) {
    throw new NotFound("comment", String(commentId));
  }
  const { issue } = locked;
  const isAuthor = issue.authorId !== null && issue.authorId === work.actorId;
  if (!isAuthor && !mayWriteIssue(access, issue)) {
    throw new Forbidden(
      "Only the author of a pull request, and those who may write to pull requests, resolve comments",
    );
  }
  await work.demand({ on: "repository", do: isAuthor ? "participate" : "write", unit: "pulls" });
  const firstId = found.place.replyTo ?? commentId;
  if ((found.place.resolvedAt !== null) === resolved) {
    return;
  }
  await resolveConversation(work.tx, firstId, resolved ? work.actorId : null);
  work.refresh(`issue:${issue.id}`);
}
