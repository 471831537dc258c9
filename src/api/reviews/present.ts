import type { Static } from "elysia";
import type { PullReview, PullReviewComment } from "./schema.ts";
import type { Actor, RepositoryAccess } from "../../auth/subject.ts";
import type { ReviewKind } from "../../db/schema/pulls.ts";
import type { Addresses } from "../../domain/spine/addresses.ts";
import type { FoundLineComment } from "../../domain/work/reviews/comment-queries.ts";
import type { FoundReview, ReviewedPull } from "../../domain/work/reviews/queries.ts";
import { presentTeam } from "../teams/present.ts";
import { presentOwner } from "../users/present.ts";
import { presentInstant } from "../common/instants.ts";
import type { reviewStates } from "./schema.ts";

const stateOf: Readonly<Record<ReviewKind, (typeof reviewStates)[number]>> = {
  approve: "APPROVED",
  pending: "PENDING",
  comment: "COMMENT",
  "request-changes": "REQUEST_CHANGES",
  request: "REQUEST_REVIEW",
};

const hexOf = (oid: Uint8Array | null) => (oid === null ? "" : Buffer.from(oid).toString("hex"));

/** A review as the family's PullReview. */
export function presentReview(
  addresses: Addresses,
  { repository, owner }: Pick<RepositoryAccess, "repository" | "owner">,
  { issue }: ReviewedPull,
  { review, reviewer, team, comments, entryId }: FoundReview,
  viewer: Actor | null,
): Static<typeof PullReview> {
  const page = addresses.discussion(owner.name, repository.name, issue);
  return {
    body: review.body,
    comments_count: comments,
    commit_id: hexOf(review.commitOid),
    dismissed: review.dismissed,
    html_url: entryId === null ? page : `${page}#issuecomment-${entryId}`,
    id: review.id,
    official: review.official,
    pull_request_url: page,
    stale: review.stale,
    state: stateOf[review.kind],
    submitted_at: presentInstant(review.submittedAt ?? review.createdAt),
    team: team === null ? null : presentTeam(addresses, team, viewer),
    updated_at: presentInstant(review.updatedAt),
    user: reviewer === null ? null : presentOwner(addresses, reviewer, viewer),
  };
}

/** A comment on a line as the family's PullReviewComment. Its reviewer is its author. */
export function presentLineComment(
  addresses: Addresses,
  { repository, owner }: Pick<RepositoryAccess, "repository" | "owner">,
  { issue, pull }: ReviewedPull,
  { comment, place, author, resolver }: FoundLineComment,
  viewer: Actor | null,
): Static<typeof PullReviewComment> {
  const page = addresses.discussion(owner.name, repository.name, issue);
  const original = hexOf(place.originalCommitOid);
  // The base's side has the commit of the base in its row; what it is shown with is the head.
  const current = place.side === "new" ? hexOf(place.commitOid) : place.invalidated ? original : hexOf(pull.headOid);
  return {
    body: comment.body,
    commit_id: current,
    created_at: presentInstant(comment.createdAt),
    diff_hunk: place.diffHunk,
    html_url: `${page}#issuecomment-${comment.id}`,
    id: comment.id,
    original_commit_id: original,
    original_position: place.side === "old" ? place.line : 0,
    path: place.path,
    position: place.side === "new" ? place.line : 0,
    pull_request_review_id: comment.reviewId ?? 0,
    pull_request_url: page,
    resolver: resolver === null ? null : presentOwner(addresses, resolver, viewer),
    updated_at: presentInstant(comment.updatedAt),
    user: author === null ? null : presentOwner(addresses, author, viewer),
  };
}
