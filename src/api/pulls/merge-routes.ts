import { t } from "elysia";
import { updateStyles } from "../../db/schema/repositories.ts";
import { cancelScheduledMerge, mergeWhenChecksSucceed } from "../../domain/work/merges/auto-merge.ts";
import { mergePull, type MergeRequest } from "../../domain/work/merges/merge-pull.ts";
import { findPull } from "../../domain/work/pulls/queries.ts";
import { updatePull } from "../../domain/work/merges/update-pull.ts";
import { InvalidInput } from "../../lib/errors.ts";
import type { Api } from "../common/api.ts";
import { empty, yesOrNo } from "../common/reply.ts";
import { conflict, done, no, overQuota } from "../common/responses.ts";
import { oneOf, rowId } from "../common/schema.ts";
import { MergePullRequestOption } from "./merge-schema.ts";

const refused = {
  405: {
    description: "It cannot be merged, or not by the caller: the header X-Merge-Refused says why, the body is empty",
  },
};

/** Operations that move branches for a pull request: merging it, and updating its head from its base. */
export function pullMergeRoutes({ forge, group }: Api) {
  return group("/repos/:owner/:repo/pulls/:index", {
    tag: "repository",
    scopes: ["repository"],
    may: { on: "repository", do: "participate", unit: "pulls" },
    params: { index: rowId("Number of the pull request") },
  })
    .get(
      "/merge",
      {
        operationId: "repoPullRequestIsMerged",
        summary: "Ask whether a pull request is merged",
        may: { on: "repository", do: "read", unit: "pulls" },
        responses: { 204: { description: "It is merged" }, ...no },
      },
      async ({ repository, params }) => {
        const found = await findPull(forge.database.db, repository.repository.id, params.index);
        return yesOrNo(found !== null && found.pull.mergedAt !== null);
      },
    )
    .post(
      "/merge",
      {
        operationId: "repoMergePullRequest",
        may: { on: "repository", do: "participate", unit: "code-of-pulls" },
        summary: "Merge a pull request",
        description:
          "It takes write access to the code of the base repository, and what the rule of the base branch asks for. The base branch moves and the pull request is merged at once, or nothing happens. 409: the head is not at `head_commit_id`, or the base branch kept moving.",
        body: MergePullRequestOption,
        responses: {
          200: { description: "It is merged" },
          201: { description: "It is merged when its checks have succeeded" },
          ...refused,
          ...conflict,
        },
      },
      async ({ doer, repository, params, body }) => {
        const request: MergeRequest = {
          style: body.Do,
          title: body.MergeTitleField ?? "",
          message: body.MergeMessageField ?? "",
          headCommitId: body.head_commit_id ?? "",
          mergeCommitId: body.MergeCommitID ?? "",
          deleteBranch: body.delete_branch_after_merge,
          force: body.force_merge ?? false,
        };
        const { style } = request;
        if (body.merge_when_checks_succeed === true) {
          if (style === "manually-merged") {
            throw new InvalidInput("What is merged by hand waits for no checks", "merge_when_checks_succeed");
          }
          const scheduled = { ...request, style };
          const outcome = await mergeWhenChecksSucceed(forge, doer, repository, params.index, scheduled);
          return outcome === "merged" ? empty(200) : empty(201);
        }
        await mergePull(forge, doer, repository, params.index, request);
        return empty(200);
      },
    )
    .delete(
      "/merge",
      {
        operationId: "repoCancelScheduledAutoMerge",
        summary: "Cancel a merge that waits for checks",
        description: "For whoever scheduled it, and for administrators of the repository.",
        responses: done,
      },
      async ({ doer, repository, params }) => {
        await forge.change(doer, (work) => cancelScheduledMerge(work, repository, params.index));
        return empty();
      },
    )
    .post(
      "/update",
      {
        operationId: "repoUpdatePullRequest",
        may: { on: "repository", do: "participate", unit: "code-of-pulls" },
        summary: "Bring what the base branch has into the head branch of a pull request",
        description:
          "It counts as a push to the head branch. Where the head has it all, nothing happens. 409: they are in conflict.",
        query: { style: t.Optional(oneOf(updateStyles, "How; as the repository says, where it is not said")) },
        responses: { 200: { description: "The head has it all" }, ...conflict, ...overQuota },
      },
      async ({ doer, repository, params, query }) => {
        const style = query.style ?? repository.repository.defaultUpdateStyle;
        await updatePull(forge, doer, repository, params.index, style);
        return empty(200);
      },
    );
}
