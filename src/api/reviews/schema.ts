import { t } from "elysia";
import { dateTime, integer, nullable, oneOf, sparseList } from "../common/schema.ts";
import { Team } from "../teams/schema.ts";
import { User } from "../users/schema.ts";

/** The family's words for what a review says. */
export const reviewStates = ["APPROVED", "PENDING", "COMMENT", "REQUEST_CHANGES", "REQUEST_REVIEW"] as const;

export const PullReview = t.Object(
  {
    body: t.String(),
    comments_count: integer({ description: "Comments on lines" }),
    commit_id: t.String({ description: "The head that was reviewed; empty of a request" }),
    dismissed: t.Boolean(),
    html_url: t.String(),
    id: integer(),
    official: t.Boolean({
      description: "Whether it counts for the protection of the base branch; of a request, whether the review would",
    }),
    pull_request_url: t.String({ description: "Page of the pull request" }),
    stale: t.Boolean({ description: "The head moved since then, and makes other changes" }),
    state: oneOf(reviewStates, "REQUEST_REVIEW: somebody was asked for it, and has not given it"),
    submitted_at: dateTime("Of what is not submitted, when it was made"),
    team: nullable(Team),
    updated_at: dateTime(),
    user: nullable(User),
  },
  { $id: "PullReview" },
);

export const PullReviewComment = t.Object(
  {
    body: t.String(),
    commit_id: t.String({
      description: "The head whose diff has the line where the comment says; not the latest one if the line is gone",
    }),
    created_at: dateTime(),
    diff_hunk: t.String({ description: "The lines of the diff before it, as they were" }),
    html_url: t.String(),
    id: integer(),
    original_commit_id: t.String({ description: "The head that the comment was made on" }),
    original_position: integer({
      description: "The line in the file of the base, where it is on that side; otherwise 0",
    }),
    path: t.String(),
    position: integer({ description: "The line in the file of the head, where it is on that side; otherwise 0" }),
    pull_request_review_id: integer(),
    pull_request_url: t.String({ description: "Page of the pull request" }),
    resolver: nullable(User),
    updated_at: dateTime(),
    user: nullable(User),
  },
  { $id: "PullReviewComment" },
);

const lineFields = {
  body: t.Optional(t.String()),
  path: t.Optional(t.String({ description: "The file, by its name on the side of the line" })),
  new_position: t.Optional(integer({ description: "The line in the file of the head, from 1" })),
  old_position: t.Optional(integer({ description: "The line in the file of the base, from 1; comes first" })),
};

export const CreatePullReviewComment = t.Object(lineFields, { $id: "CreatePullReviewComment" });

const event = t.Optional(
  t.String({ description: "APPROVED, REQUEST_CHANGES or COMMENT; PENDING, or empty: it is submitted later" }),
);

export const CreatePullReviewOptions = t.Object(
  {
    body: t.Optional(t.String()),
    comments: t.Optional(nullable(t.Array(CreatePullReviewComment))),
    commit_id: t.Optional(t.String({ description: "The commit that was reviewed; the head if empty" })),
    event,
  },
  { $id: "CreatePullReviewOptions" },
);

export const SubmitPullReviewOptions = t.Object(
  { body: t.Optional(t.String({ description: "Empty: as it was when the review was begun" })), event },
  { $id: "SubmitPullReviewOptions" },
);

export const DismissPullReviewOptions = t.Object(
  {
    message: t.Optional(t.String({ description: "Why" })),
    priors: t.Optional(t.Boolean({ description: "Also what the reviewer decided before" })),
  },
  { $id: "DismissPullReviewOptions" },
);

export const PullReviewRequestOptions = t.Object(
  {
    reviewers: t.Optional(nullable(sparseList(t.String(), "Names of users"))),
    team_reviewers: t.Optional(
      nullable(sparseList(t.String(), "Names of teams of the organization that owns the repository")),
    ),
  },
  { $id: "PullReviewRequestOptions" },
);

export const ReplyOptions = t.Object({ body: t.String() }, { $id: "CreatePullReviewCommentReplyOptions" });
