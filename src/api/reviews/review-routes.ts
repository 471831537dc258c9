import { t } from "elysia";
import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Viewer } from "../../auth/viewer-of.ts";
import { dismissReview, undismissReview } from "../../domain/work/reviews/dismiss-review.ts";
import { placeComments } from "../../domain/work/reviews/place-comments.ts";
import { listReviews, type ReviewRow } from "../../domain/work/reviews/queries.ts";
import {
  createReview,
  deleteReview,
  submitReview,
  type ReviewVerdict,
} from "../../domain/work/reviews/write-review.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { clip } from "../../lib/show-value.ts";
import type { Api } from "../common/api.ts";
import { paged, readPage } from "../common/paging.ts";
import { empty } from "../common/reply.ts";
import { done, ok } from "../common/responses.ts";
import { pagingQuery, rowId } from "../common/schema.ts";
import { getReviewedPull, getReviewRow, only, presentReviews, readLine } from "./find-review.ts";
import { CreatePullReviewOptions, DismissPullReviewOptions, PullReview, SubmitPullReviewOptions } from "./schema.ts";

const index = rowId("Number of the pull request");
const id = rowId("Id of the review");
const reads = { on: "repository", do: "read", unit: "pulls" } as const;
const participates = { on: "repository", do: "participate", unit: "pulls" } as const;
const administers = { on: "repository", do: "admin", unit: "pulls" } as const;

const verdicts: Readonly<Record<string, ReviewVerdict>> = {
  "": "pending",
  PENDING: "pending",
  COMMENT: "comment",
  APPROVED: "approve",
  REQUEST_CHANGES: "request-changes",
};

/** Throws InvalidInput. */
function readVerdict(event = ""): ReviewVerdict {
  const verdict = Object.hasOwn(verdicts, event) ? verdicts[event] : undefined;
  if (verdict === undefined) {
    throw new InvalidInput(
      `event must be one of APPROVED, REQUEST_CHANGES, COMMENT, PENDING, and not "${clip(event, 80)}"`,
      "event",
    );
  }
  return verdict;
}

/** Reviews of pull requests. */
export function reviewRoutes({ forge, group }: Api) {
  const { db } = forge.database;

  interface Asked extends Viewer {
    repository: RepositoryAccess;
    params: { index: number };
  }
  async function present({ repository, params, actor, credential }: Asked, row: ReviewRow) {
    const pulled = await getReviewedPull(forge, repository, params.index);
    return only(await presentReviews(forge, { actor, credential }, repository, pulled, [row]));
  }

  return group("/repos/:owner/:repo/pulls/:index/reviews", {
    tag: "repository",
    scopes: ["repository"],
    may: reads,
  })
    .get(
      "",
      {
        operationId: "repoListPullReviews",
        summary: "List the reviews of a pull request",
        description:
          "The oldest first, and reviews that somebody was asked for among them. A review that is not submitted is shown to its author only.",
        params: { index },
        query: pagingQuery,
        responses: ok(t.Array(PullReview), "The reviews"),
      },
      async ({ repository, params, query, request, actor, credential }) => {
        const viewer = { actor, credential };
        const pulled = await getReviewedPull(forge, repository, params.index);
        const page = readPage(query);
        const { rows, total } = await listReviews(db, pulled.pull.issueId, actor?.id ?? null, page);
        const reviews = await presentReviews(forge, viewer, repository, pulled, rows);
        return paged({ request, base: forge.addresses.base }, page, total, reviews);
      },
    )
    .post(
      "",
      {
        operationId: "repoCreatePullReview",
        summary: "Review a pull request",
        description:
          "With comments on lines, each of which the diff of the pull request shows. Whoever has begun a review adds to it, and submits it unless the event is PENDING.",
        may: { ...participates, unit: "code-of-pulls" },
        params: { index },
        body: CreatePullReviewOptions,
        responses: ok(PullReview, "The review"),
      },
      async (asked) => {
        const { repository, params, body, doer } = asked;
        const verdict = readVerdict(body.event);
        const comments = (body.comments ?? []).map(readLine);
        const pulled = await getReviewedPull(forge, repository, params.index);
        const commit = body.commit_id === undefined || body.commit_id === "" ? null : body.commit_id;
        const placed = await placeComments(forge, repository.repository, pulled, { commit, comments });
        const row = await forge.change(doer, (work) =>
          createReview(work, repository, params.index, { verdict, body: body.body ?? "", placed }),
        );
        return present(asked, row);
      },
    )
    .get(
      "/:id",
      {
        operationId: "repoGetPullReview",
        summary: "Get a review of a pull request",
        params: { index, id },
        responses: ok(PullReview, "The review"),
      },
      async (asked) => {
        const { repository, params, actor, credential } = asked;
        const pulled = await getReviewedPull(forge, repository, params.index);
        const row = await getReviewRow(forge, { actor, credential }, pulled, params.id);
        return only(await presentReviews(forge, { actor, credential }, repository, pulled, [row]));
      },
    )
    .post(
      "/:id",
      {
        operationId: "repoSubmitPullReview",
        summary: "Submit a review that was begun",
        may: participates,
        params: { index, id },
        body: SubmitPullReviewOptions,
        responses: ok(PullReview, "The review"),
      },
      async (asked) => {
        const { repository, params, body, doer } = asked;
        const said = { verdict: readVerdict(body.event), body: body.body ?? "" };
        const row = await forge.change(doer, (work) => submitReview(work, repository, params.index, params.id, said));
        return present(asked, row);
      },
    )
    .delete(
      "/:id",
      {
        operationId: "repoDeletePullReview",
        summary: "Delete a review with its comments on lines",
        description: "For its author, and for administrators of the repository.",
        may: participates,
        params: { index, id },
        responses: done,
      },
      async ({ repository, params, doer }) => {
        await forge.change(doer, (work) => deleteReview(work, repository, params.index, params.id));
        return empty();
      },
    )
    .post(
      "/:id/dismissals",
      {
        operationId: "repoDismissPullReview",
        summary: "Dismiss a review: it counts for nothing any more",
        may: administers,
        params: { index, id },
        body: DismissPullReviewOptions,
        responses: ok(PullReview, "The review"),
      },
      async (asked) => {
        const { repository, params, body, doer } = asked;
        const why = { message: body.message ?? "", priors: body.priors === true };
        const row = await forge.change(doer, (work) => dismissReview(work, repository, params.index, params.id, why));
        return present(asked, row);
      },
    )
    .post(
      "/:id/undismissals",
      {
        operationId: "repoUnDismissPullReview",
        summary: "Let a dismissed review count again",
        may: administers,
        params: { index, id },
        responses: ok(PullReview, "The review"),
      },
      async (asked) => {
        const { repository, params, doer } = asked;
        const row = await forge.change(doer, (work) => undismissReview(work, repository, params.index, params.id));
        return present(asked, row);
      },
    );
}
