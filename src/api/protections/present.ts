import type { Static } from "elysia";
import type { BranchProtection as BranchProtectionSchema, TagProtection as TagProtectionSchema } from "./schema.ts";
import type { ListInput } from "../../domain/git/protections/lists.ts";
import type { BranchProtectionInput } from "../../domain/git/protections/edit-branch-protection.ts";
import type { BranchProtection, TagProtection } from "../../domain/git/protections/queries.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { isPlainName } from "../../lib/name-pattern.ts";
import { presentInstant } from "../common/instants.ts";
import type { EditBranchProtectionOption } from "./schema.ts";

/** A protection as the family's BranchProtection. */
export function presentBranchProtection({ row, lists }: BranchProtection): Static<typeof BranchProtectionSchema> {
  return {
    id: row.id,
    branch_name: isPlainName(row.ruleName) ? row.ruleName : "",
    rule_name: row.ruleName,
    priority: row.priority,
    enable_push: row.enablePush,
    enable_push_whitelist: row.enablePushList,
    push_whitelist_usernames: lists.push?.users ?? [],
    push_whitelist_teams: lists.push?.teams ?? [],
    push_whitelist_deploy_keys: row.pushDeployKeys,
    enable_force_push: row.enableForcePush,
    enable_force_push_allowlist: row.enableForcePushList,
    force_push_allowlist_usernames: lists["force-push"]?.users ?? [],
    force_push_allowlist_teams: lists["force-push"]?.teams ?? [],
    force_push_allowlist_deploy_keys: row.forcePushDeployKeys,
    enable_delete: row.enableDelete,
    enable_delete_allowlist: row.enableDeleteList,
    delete_allowlist_usernames: lists.delete?.users ?? [],
    delete_allowlist_teams: lists.delete?.teams ?? [],
    delete_allowlist_deploy_keys: row.deleteDeployKeys,
    enable_merge_whitelist: row.enableMergeList,
    merge_whitelist_usernames: lists.merge?.users ?? [],
    merge_whitelist_teams: lists.merge?.teams ?? [],
    enable_status_check: row.enableStatusCheck,
    status_check_contexts: row.statusCheckContexts,
    required_approvals: row.requiredApprovals,
    enable_approvals_whitelist: row.enableApprovalsList,
    approvals_whitelist_username: lists.approvals?.users ?? [],
    approvals_whitelist_teams: lists.approvals?.teams ?? [],
    block_on_rejected_reviews: row.blockOnRejectedReviews,
    block_on_official_review_requests: row.blockOnOfficialReviewRequests,
    block_on_outdated_branch: row.blockOnOutdatedBranch,
    dismiss_stale_approvals: row.dismissStaleApprovals,
    ignore_stale_approvals: row.ignoreStaleApprovals,
    require_signed_commits: row.requireSignedCommits,
    protected_file_patterns: row.protectedFilePatterns,
    unprotected_file_patterns: row.unprotectedFilePatterns,
    apply_to_admins: row.applyToAdmins,
    block_admin_merge_override: row.applyToAdmins,
    created_at: presentInstant(row.createdAt),
    updated_at: presentInstant(row.updatedAt),
  };
}

type Body = typeof EditBranchProtectionOption.static;

/** Reads a rule from a request. Throws InvalidInput. */
export function readBranchProtection(body: Body): BranchProtectionInput {
  const overrides = [body.apply_to_admins, body.block_admin_merge_override].filter((value) => value != null);
  if (overrides[0] !== overrides.at(-1)) {
    throw new InvalidInput(
      "apply_to_admins and block_admin_merge_override are names of the same, and differ",
      "apply_to_admins",
    );
  }
  return {
    columns: given({
      priority: body.priority,
      enablePush: body.enable_push,
      enablePushList: body.enable_push_whitelist,
      pushDeployKeys: body.push_whitelist_deploy_keys,
      enableForcePush: body.enable_force_push,
      enableForcePushList: body.enable_force_push_allowlist,
      forcePushDeployKeys: body.force_push_allowlist_deploy_keys,
      enableDelete: body.enable_delete,
      enableDeleteList: body.enable_delete_allowlist,
      deleteDeployKeys: body.delete_allowlist_deploy_keys,
      enableMergeList: body.enable_merge_whitelist,
      enableStatusCheck: body.enable_status_check,
      statusCheckContexts: body.status_check_contexts,
      requiredApprovals: body.required_approvals,
      enableApprovalsList: body.enable_approvals_whitelist,
      blockOnRejectedReviews: body.block_on_rejected_reviews,
      blockOnOfficialReviewRequests: body.block_on_official_review_requests,
      blockOnOutdatedBranch: body.block_on_outdated_branch,
      dismissStaleApprovals: body.dismiss_stale_approvals,
      ignoreStaleApprovals: body.ignore_stale_approvals,
      requireSignedCommits: body.require_signed_commits,
      protectedFilePatterns: body.protected_file_patterns,
      unprotectedFilePatterns: body.unprotected_file_patterns,
      applyToAdmins: overrides[0],
    }),
    lists: given({
      push: readList(body.push_whitelist_usernames, body.push_whitelist_teams),
      "force-push": readList(body.force_push_allowlist_usernames, body.force_push_allowlist_teams),
      delete: readList(body.delete_allowlist_usernames, body.delete_allowlist_teams),
      merge: readList(body.merge_whitelist_usernames, body.merge_whitelist_teams),
      approvals: readList(body.approvals_whitelist_username, body.approvals_whitelist_teams),
    }),
  };
}

type Names = readonly string[] | null | undefined;

/** null where neither is given. */
export function readList(users: Names, teams: Names): ListInput | null {
  return users == null && teams == null ? null : { users: users ?? undefined, teams: teams ?? undefined };
}

/** Without what is absent or null. */
function given<Fields extends object>(fields: Fields) {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null)) as {
    [Key in keyof Fields]?: NonNullable<Fields[Key]>;
  };
}

/** A protection as the family's TagProtection. */
export function presentTagProtection({ row, list }: TagProtection): Static<typeof TagProtectionSchema> {
  return {
    id: row.id,
    name_pattern: row.namePattern,
    whitelist_usernames: list.users,
    whitelist_teams: list.teams,
    created_at: presentInstant(row.createdAt),
    updated_at: presentInstant(row.updatedAt),
  };
}
