import { t } from "elysia";
import { integer, nullable, oneOf } from "../common/schema.ts";

export const SyncForkInfo = t.Object(
  {
    allowed: t.Boolean({ description: "The branch can be moved to where the parent's is, and is not there yet" }),
    fork_commit: t.String({ description: "Oid of the fork's commit" }),
    base_commit: t.String({ description: "Oid of the parent's commit; empty where the parent has no such branch" }),
    commits_behind: integer({ description: "Commits that the parent's branch has and the fork's has not" }),
  },
  { $id: "SyncForkInfo" },
);

export const MergeUpstreamRequest = t.Object(
  {
    branch: t.Optional(t.String({ maxLength: 255, description: "The branch; the default branch if absent" })),
    ff_only: t.Optional(t.Boolean({ description: "Refuse to merge where the fork has commits of its own" })),
  },
  { $id: "MergeUpstreamRequest" },
);

export const MergeUpstreamResponse = t.Object(
  { merge_type: oneOf(["up-to-date", "fast-forward", "merge"], "What became of the branch") },
  { $id: "MergeUpstreamResponse" },
);

export const CreateForkOption = t.Object(
  {
    name: t.Optional(nullable(t.String({ maxLength: 100, description: "Name of the fork; its parent's if absent" }))),
    organization: t.Optional(
      nullable(
        t.String({ maxLength: 100, description: "Name of the organization that will own it; oneself if absent" }),
      ),
    ),
  },
  { $id: "CreateForkOption" },
);
