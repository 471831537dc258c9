import { t } from "elysia";
import { dateTime, integer, nullable, rowId, sparseList } from "../common/schema.ts";

/** Users or teams of one list, and contexts of status checks. */
const mostNames = 100;
const names = (description: string) => sparseList(t.String({ maxLength: 255 }), description, { maxItems: mostNames });

/** The fields of a rule in a request. Every field is optional, and null counts as absent. */
const flags = {
  enable_push: "Those who may write to the code may push, or those on the push list if it is enabled",
  enable_push_whitelist: "Only those on the push list push",
  push_whitelist_deploy_keys: "Deploy keys that may write are on the push list",
  enable_force_push: "Those who may push may give up commits, or those of them on the force-push list if it is enabled",
  enable_force_push_allowlist: "Only those on the force-push list give up commits",
  force_push_allowlist_deploy_keys: "Deploy keys that may write are on the force-push list",
  enable_delete: "Those who may write to the code may delete the branch, or those on the delete list if it is enabled",
  enable_delete_allowlist: "Only those on the delete list delete the branch",
  delete_allowlist_deploy_keys: "Deploy keys that may write are on the delete list",
  enable_merge_whitelist: "Only those on the merge list merge pull requests into the branch",
  enable_status_check: "A merge takes the status checks to have passed",
  enable_approvals_whitelist: "Only approvals of those on the approvals list count",
  block_on_rejected_reviews: "No merge while an official review asks for changes",
  block_on_official_review_requests: "No merge while an official review is asked for",
  block_on_outdated_branch: "No merge while the branch has commits that the pull request does not have",
  dismiss_stale_approvals: "New commits of a pull request dismiss its approvals",
  ignore_stale_approvals: "Approvals of earlier commits do not count",
  require_signed_commits: "New commits have a verified signature",
  apply_to_admins: "Administrators cannot merge in spite of reviews, checks and protected files",
  block_admin_merge_override: "The same as apply_to_admins",
} as const;

const listNames = {
  push_whitelist_usernames: "Users on the push list",
  push_whitelist_teams: "Teams on the push list",
  force_push_allowlist_usernames: "Users on the force-push list",
  force_push_allowlist_teams: "Teams on the force-push list",
  delete_allowlist_usernames: "Users on the delete list",
  delete_allowlist_teams: "Teams on the delete list",
  merge_whitelist_usernames: "Users on the merge list",
  merge_whitelist_teams: "Teams on the merge list",
  approvals_whitelist_username: "Users whose approvals count",
  approvals_whitelist_teams: "Teams whose approvals count",
} as const;

const mapped = <Key extends string, Value>(from: Readonly<Record<Key, string>>, make: (description: string) => Value) =>
  Object.fromEntries(Object.entries<string>(from).map(([key, text]) => [key, make(text)])) as Record<Key, Value>;

export const BranchProtection = t.Object(
  {
    id: rowId("For the order of rules"),
    branch_name: t.String({ description: "rule_name, where it is the name of a branch", deprecated: true }),
    rule_name: t.String({ description: "The name of a branch, or a pattern" }),
    priority: integer({ description: "Of several patterns that match a branch, the lowest decides" }),
    ...mapped(flags, (description) => t.Boolean({ description })),
    ...mapped(listNames, (description) => t.Array(t.String(), { description })),
    required_approvals: integer(),
    status_check_contexts: t.Array(t.String(), { description: "Names or patterns of contexts that have to pass" }),
    protected_file_patterns: t.String({ description: "Patterns of files, between semicolons, that nobody pushes" }),
    unprotected_file_patterns: t.String({
      description: "Patterns of files, between semicolons, that also those push who may not push anything else",
    }),
    created_at: dateTime(),
    updated_at: dateTime(),
  },
  { $id: "BranchProtection" },
);

const given = {
  priority: t.Optional(
    nullable(
      integer({ minimum: 0, maximum: 1_000_000, description: "Of several patterns that match, the lowest decides" }),
    ),
  ),
  ...mapped(flags, (description) => t.Optional(nullable(t.Boolean({ description })))),
  ...mapped(listNames, (description) => t.Optional(nullable(names(description)))),
  required_approvals: t.Optional(nullable(integer({ minimum: 0, maximum: 1000 }))),
  status_check_contexts: t.Optional(
    nullable(
      t.Array(t.String({ minLength: 1, maxLength: 255 }), {
        maxItems: mostNames,
        description: "In place of those that there are, also while checks are disabled; absent or null leaves them",
      }),
    ),
  ),
  protected_file_patterns: t.Optional(
    nullable(t.String({ description: "Such as .ci.yml;docs/**/*.txt; null leaves what there is" })),
  ),
  unprotected_file_patterns: t.Optional(nullable(t.String({ description: "Likewise" }))),
};

export const CreateBranchProtectionOption = t.Object(
  {
    rule_name: t.Optional(t.String({ description: "The name of a branch, or a pattern such as release/**" })),
    branch_name: t.Optional(t.String({ description: "Use rule_name", deprecated: true })),
    ...given,
  },
  { $id: "CreateBranchProtectionOption" },
);

export const EditBranchProtectionOption = t.Object(given, { $id: "EditBranchProtectionOption" });

export const UpdateBranchProtectionPriories = t.Object(
  { ids: t.Array(rowId("Id of a protection"), { maxItems: 100, description: "The first one decides first" }) },
  { $id: "UpdateBranchProtectionPriories" },
);

export const TagProtection = t.Object(
  {
    id: rowId("Id of the protection"),
    name_pattern: t.String(),
    whitelist_usernames: t.Array(t.String()),
    whitelist_teams: t.Array(t.String()),
    created_at: dateTime(),
    updated_at: dateTime(),
  },
  { $id: "TagProtection" },
);

const tagLists = {
  whitelist_usernames: t.Optional(nullable(names("Users who may create, move and delete such tags"))),
  whitelist_teams: t.Optional(nullable(names("Teams that may"))),
};

export const CreateTagProtectionOption = t.Object(
  { name_pattern: t.Optional(t.String({ description: "Such as v*; required" })), ...tagLists },
  { $id: "CreateTagProtectionOption" },
);

export const EditTagProtectionOption = t.Object(
  { name_pattern: t.Optional(nullable(t.String({ description: "Such as v*" }))), ...tagLists },
  { $id: "EditTagProtectionOption" },
);
