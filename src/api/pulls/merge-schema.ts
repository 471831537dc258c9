import { t } from "elysia";
import { oneOf } from "../common/schema.ts";
import { longestMergeText, longestMergeTitle } from "../../domain/work/merges/merge-message.ts";

const styles = ["merge", "rebase", "rebase-merge", "squash", "fast-forward-only", "manually-merged"] as const;

export const MergePullRequestOption = t.Object(
  {
    Do: oneOf(styles, "How the pull request is merged; the repository says which styles it allows"),
    MergeTitleField: t.Optional(
      t.String({
        maxLength: longestMergeTitle,
        description: "First line of the commit; the template or the default otherwise",
      }),
    ),
    MergeMessageField: t.Optional(
      t.String({
        maxLength: longestMergeText,
        description: "What stands below it; where there is no title either, the template or the default",
      }),
    ),
    MergeCommitID: t.Optional(
      t.String({ maxLength: 64, description: "Of manually-merged: the commit of the base branch that has it" }),
    ),
    head_commit_id: t.Optional(
      t.String({ maxLength: 64, description: "Where the head has to be; anywhere without it" }),
    ),
    delete_branch_after_merge: t.Optional(
      t.Boolean({ description: "Delete the head branch; as the repository says, where it is not said" }),
    ),
    force_merge: t.Optional(
      t.Boolean({
        description: "Merge in spite of reviews, checks and protected files, as an administrator whom the rule lets",
      }),
    ),
    merge_when_checks_succeed: t.Optional(
      t.Boolean({ description: "Merge it when its checks have succeeded, at once where they have" }),
    ),
  },
  { $id: "MergePullRequestOption" },
);
