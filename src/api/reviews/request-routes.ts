import { t } from "elysia";
import { requestReviews, withdrawRequests } from "../../domain/work/reviews/request-reviews.ts";
import type { Api } from "../common/api.ts";
import { created, empty } from "../common/reply.ts";
import { done, made } from "../common/responses.ts";
import { rowId } from "../common/schema.ts";
import { getReviewedPull, presentReviews } from "./find-review.ts";
import { PullReview, PullReviewRequestOptions } from "./schema.ts";

interface Names {
  reviewers?: string[] | null;
  team_reviewers?: string[] | null;
}

const readNames = ({ reviewers, team_reviewers: teams }: Names) => ({ users: reviewers ?? [], teams: teams ?? [] });

/** The requested reviewers of a pull request. */
export function reviewRequestRoutes({ forge, group }: Api) {
  const params = { index: rowId("Number of the pull request") };

  return group("/repos/:owner/:repo/pulls/:index/requested_reviewers", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "participate", unit: "pulls" },
  })
    .post(
      "",
      {
        operationId: "repoCreatePullReviewRequests",
        summary: "Ask users and teams to review a pull request",
        description:
          "For its author, and for those who may write to pull requests. Each of those asked has to be able to read it.",
        params,
        body: PullReviewRequestOptions,
        responses: made(t.Array(PullReview), "The requests that are new"),
      },
      async ({ repository, params: { index }, body, doer, actor, credential }) => {
        const rows = await forge.change(doer, (work) => requestReviews(work, repository, index, readNames(body)));
        const pulled = await getReviewedPull(forge, repository, index);
        return created(await presentReviews(forge, { actor, credential }, repository, pulled, rows));
      },
    )
    .delete(
      "",
      {
        operationId: "repoDeletePullReviewRequests",
        summary: "Ask users and teams not to review a pull request any more",
        description: "For those who may ask, and for whoever was asked.",
        params,
        body: PullReviewRequestOptions,
        responses: done,
      },
      async ({ repository, params: { index }, body, doer }) => {
        await forge.change(doer, (work) => withdrawRequests(work, repository, index, readNames(body)));
        return empty();
      },
    );
}
