import { t } from "elysia";
import { integer, nullable } from "../common/schema.ts";
import { PayloadCommitVerification, PayloadUser } from "../commits/schema.ts";

const paths = (description: string) => nullable(t.Array(t.String(), { description }));

const PayloadCommit = t.Object(
  {
    id: t.String({ description: "The oid" }),
    message: t.String(),
    url: t.String(),
    author: nullable(PayloadUser),
    committer: nullable(PayloadUser),
    verification: nullable(PayloadCommitVerification),
    timestamp: t.String({ format: "date-time" }),
    added: paths("Only in the payloads of pushes"),
    removed: paths("Only in the payloads of pushes"),
    modified: paths("Only in the payloads of pushes"),
  },
  { $id: "PayloadCommit" },
);

export const Branch = t.Object(
  {
    name: t.String(),
    commit: nullable(PayloadCommit),
    protected: t.Boolean(),
    required_approvals: integer(),
    enable_status_check: t.Boolean(),
    status_check_contexts: t.Array(t.String()),
    user_can_push: t.Boolean(),
    user_can_merge: t.Boolean(),
    effective_branch_protection_name: t.String(),
  },
  { $id: "Branch" },
);

export const CreateBranchRepoOption = t.Object(
  {
    new_branch_name: t.String({ minLength: 1, maxLength: 100 }),
    old_ref_name: t.Optional(
      t.String({ maxLength: 255, description: "A branch, tag or commit to start from; the default branch otherwise" }),
    ),
    old_branch_name: t.Optional(
      t.String({ maxLength: 255, description: "The branch to start from; use old_ref_name", deprecated: true }),
    ),
  },
  { $id: "CreateBranchRepoOption" },
);

export const UpdateBranchRepoOption = t.Object(
  { name: t.String({ minLength: 1, maxLength: 100, description: "The new name" }) },
  { $id: "UpdateBranchRepoOption" },
);

export const UpdateBranchRefOption = t.Object(
  {
    new_commit_id: t.String({ minLength: 4, maxLength: 64, description: "The commit that the branch is to be at" }),
    old_commit_id: t.Optional(t.String({ maxLength: 64, description: "Where the branch has to be before" })),
    force: t.Optional(t.Boolean({ description: "The branch may give up commits" })),
  },
  { $id: "UpdateBranchRefOption" },
);
