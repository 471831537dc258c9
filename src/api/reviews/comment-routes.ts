import { t } from "elysia";
import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Viewer } from "../../auth/viewer-of.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import { findLineComment, listLineComments, type LineComment } from "../../domain/work/reviews/comment-queries.ts";
import {
  addLineComment,
  deleteLineComment,
  replyToComment,
  resolveComment,
} from "../../domain/work/reviews/comment-on-line.ts";
import { placeComments } from "../../domain/work/reviews/place-comments.ts";
import type { ReviewedPull } from "../../domain/work/reviews/queries.ts";
import type { Api } from "../common/api.ts";
import { created, empty } from "../common/reply.ts";
import { done, made, ok } from "../common/responses.ts";
import { rowId } from "../common/schema.ts";
import { getReviewedPull, getReviewRow, only, presentLineComments, readLine } from "./find-review.ts";
import { CreatePullReviewComment, PullReviewComment, ReplyOptions } from "./schema.ts";

const index = rowId("Number of the pull request");
const id = rowId("Id of the review");
const comment = rowId("Id of the comment");
const participates = { on: "repository", do: "participate", unit: "code-of-pulls" } as const;

/** Comments on lines of pull requests. */
export function reviewCommentRoutes({ forge, group }: Api) {
  const { db } = forge.database;

  interface Asked extends Viewer {
    repository: RepositoryAccess;
  }
  async function present({ repository, actor, credential }: Asked, pulled: ReviewedPull, row: LineComment) {
    return only(await presentLineComments(forge, { actor, credential }, repository, pulled, [row]));
  }

  return group("/repos/:owner/:repo/pulls", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "read", unit: "code-of-pulls" },
  })
    .get(
      "/:index/reviews/:id/comments",
      {
        operationId: "repoGetPullReviewComments",
        summary: "List the comments on lines of a review",
        description: "By files and lines. Not pages: clients of the family ask for no second one.",
        params: { index, id },
        responses: ok(t.Array(PullReviewComment), "The comments"),
      },
      async ({ repository, params, actor, credential }) => {
        const viewer = { actor, credential };
        const pulled = await getReviewedPull(forge, repository, params.index);
        const { id: reviewId } = await getReviewRow(forge, viewer, pulled, params.id);
        const rows = await listLineComments(db, reviewId, actor?.id ?? null);
        return presentLineComments(forge, viewer, repository, pulled, rows);
      },
    )
    .post(
      "/:index/reviews/:id/comments",
      {
        operationId: "repoCreatePullReviewComment",
        summary: "Comment on a line, as a part of a review",
        description: "The diff of the pull request has to show the line.",
        may: participates,
        params: { index, id },
        body: CreatePullReviewComment,
        responses: ok(PullReviewComment, "The comment"),
      },
      async (asked) => {
        const { repository, params, body, doer } = asked;
        const pulled = await getReviewedPull(forge, repository, params.index);
        await getReviewRow(forge, asked, pulled, params.id);
        const placed = await placeComments(forge, repository.repository, pulled, {
          commit: null,
          comments: [readLine(body)],
        });
        const row = await forge.change(doer, (work) =>
          addLineComment(work, repository, params.index, params.id, placed),
        );
        return present(asked, pulled, row);
      },
    )
    .get(
      "/:index/reviews/:id/comments/:comment",
      {
        operationId: "repoGetPullReviewComment",
        summary: "Get a comment on a line",
        params: { index, id, comment },
        responses: ok(PullReviewComment, "The comment"),
      },
      async (asked) => {
        const { repository, params, actor } = asked;
        const pulled = await getReviewedPull(forge, repository, params.index);
        const row = await findLineComment(db, repository.repository.id, params.comment, actor?.id ?? null);
        if (row === null || row.comment.issueId !== pulled.issue.id || row.comment.reviewId !== params.id) {
          throw new NotFound("comment", String(params.comment));
        }
        return present(asked, pulled, row);
      },
    )
    .delete(
      "/:index/reviews/:id/comments/:comment",
      {
        operationId: "repoDeletePullReviewComment",
        summary: "Delete a comment on a line",
        description: "For its author, and for those who may write to pull requests. Replies to it stay.",
        may: participates,
        params: { index, id, comment },
        responses: done,
      },
      async ({ repository, params, doer }) => {
        await forge.change(doer, (work) =>
          deleteLineComment(work, repository, params.index, params.id, params.comment),
        );
        return empty();
      },
    )
    .post(
      "/:index/comments/:comment/replies",
      {
        operationId: "repoReplyToPullReviewComment",
        summary: "Reply to a comment on a line",
        description: "The reply belongs to the same review, and is where the comment is.",
        may: participates,
        params: { index, comment },
        body: ReplyOptions,
        responses: made(PullReviewComment, "The reply"),
      },
      async (asked) => {
        const { repository, params, body, doer } = asked;
        const pulled = await getReviewedPull(forge, repository, params.index);
        const row = await forge.change(doer, (work) =>
          replyToComment(work, repository, params.index, params.comment, body.body),
        );
        return created(await present(asked, pulled, row));
      },
    )
    .post(
      "/comments/:comment/resolve",
      {
        operationId: "repoResolvePullReviewComment",
        summary: "Say that the conversation about a line is resolved",
        description: "For the author of the pull request, and for those who may write to pull requests.",
        may: participates,
        params: { comment },
        responses: done,
      },
      async ({ repository, params, doer }) => {
        await forge.change(doer, (work) => resolveComment(work, repository, params.comment, true));
        return empty();
      },
    )
    .post(
      "/comments/:comment/unresolve",
      {
        operationId: "repoUnresolvePullReviewComment",
        summary: "Open a conversation about a line again",
        description: "For the author of the pull request, and for those who may write to pull requests.",
        may: participates,
        params: { comment },
        responses: done,
      },
      async ({ repository, params, doer }) => {
        await forge.change(doer, (work) => resolveComment(work, repository, params.comment, false));
        return empty();
      },
    );
}
