import { t } from "elysia";
import { NotFound } from "../../domain/spine/errors.ts";
import { mayReadIssue } from "../../domain/work/issues/access.ts";
import { findPullOfCommit } from "../../domain/work/pulls/commit-queries.ts";
import { clip } from "../../lib/show-value.ts";
import type { Api } from "../common/api.ts";
import { ok } from "../common/responses.ts";
import { presentOnePull } from "./present.ts";
import { PullRequest } from "./schema.ts";

/** From a commit to the pull request that brought it. */
export function commitPullRoutes({ forge, group }: Api) {
  return group("/repos/:owner/:repo/commits", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "read", unit: "code" },
  }).get(
    // The router knows one name for the first segment below /commits.
    "/:ref/pull",
    {
      operationId: "repoGetCommitPullRequest",
      summary: "Get the pull request that a commit of the base was made by when it was merged",
      params: { ref: t.String({ description: "The oid of the commit or its first digits, or a branch or tag" }) },
      responses: ok(PullRequest, "The pull request"),
    },
    async ({ repository, params, actor, credential }) => {
      const revision = await forge.git.revisions.find(repository.repository, params.ref);
      const row =
        revision === null || !mayReadIssue(repository, { isPull: true })
          ? null
          : await findPullOfCommit(forge.database.db, repository.repository.id, revision.commit);
      if (row === null) {
        throw new NotFound("pull request of the commit", clip(params.ref, 80));
      }
      return presentOnePull(forge, { actor, credential }, repository, row);
    },
  );
}
