import { and, eq, inArray, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { accessColumns } from "../../../auth/access-sql.ts";
import { unitMode } from "../../../auth/unit-modes.ts";
import type { Reader } from "../../../db/client.ts";
import { accessModes, account, owner, team, teamMember, teamUnit } from "../../../db/schema/owners.ts";
import { branchProtectionTeam, branchProtectionUser } from "../../../db/schema/protections.ts";
import { repository } from "../../../db/schema/repositories.ts";
import type { BranchRule } from "../../git/protections/branch-rules.ts";

const reviewer = alias(account, "reviewing_account");

/** The access of `reviewing_account` to `repository` of `owner`. */
const access = accessColumns({
  id: sql`${reviewer.ownerId}`,
  isAdmin: sql`${reviewer.isAdmin}`,
  restricted: sql`${reviewer.restricted}`,
});

/**
 * Returns those of these users whose reviews count for a branch: users on the approvals list of its rule, or all users
 * who may write to the code if the rule has no list. `rule` null: the branch is not protected. One query.
 */
export async function findOfficialReviewers(
  db: Reader,
  repositoryId: number,
  rule: Pick<BranchRule, "id" | "enableApprovalsList"> | null,
  userIds: readonly number[],
): Promise<ReadonlySet<number>> {
  if (userIds.length === 0) {
    return new Set();
  }
  if (rule?.enableApprovalsList === true) {
    const ids = sql`${sql.param([...userIds])}::bigint[]`;
    const rows = await db.execute<{ id: string }>(sql`
      select ${branchProtectionUser.userId} as id from ${branchProtectionUser}
      where ${branchProtectionUser.protectionId} = ${rule.id} and ${branchProtectionUser.list} = 'approvals'
        and ${branchProtectionUser.userId} = any(${ids})
      union select ${teamMember.userId} from ${branchProtectionTeam}
        join ${teamMember} on ${teamMember.teamId} = ${branchProtectionTeam.teamId}
      where ${branchProtectionTeam.protectionId} = ${rule.id} and ${branchProtectionTeam.list} = 'approvals'
        and ${teamMember.userId} = any(${ids})`);
    return new Set(rows.map(({ id }) => Number(id)));
  }
  const rows = await db
    .select({ id: reviewer.ownerId, ...access })
    .from(repository)
    .innerJoin(owner, eq(owner.id, repository.ownerId))
    .innerJoin(reviewer, inArray(reviewer.ownerId, [...userIds]))
    .where(and(eq(repository.id, repositoryId), reviewer.active, sql`not ${reviewer.suspended}`));
  return new Set(rows.filter((row) => unitMode(true, row, "code") >= accessModes.write).map(({ id }) => id));
}

/** Returns the teams whose members' reviews count for a branch, by the same rule. One query. */
export async function findOfficialTeams(
  db: Reader,
  rule: Pick<BranchRule, "id" | "enableApprovalsList"> | null,
  teamIds: readonly number[],
): Promise<ReadonlySet<number>> {
  if (teamIds.length === 0) {
    return new Set();
  }
  const write = sql.raw(String(accessModes.write));
  const counts =
    rule?.enableApprovalsList === true
      ? sql`exists (select 1 from ${branchProtectionTeam} where ${branchProtectionTeam.protectionId} = ${rule.id}
          and ${branchProtectionTeam.list} = 'approvals' and ${branchProtectionTeam.teamId} = ${team.id})`
      : sql`(${team.mode} >= ${sql.raw(String(accessModes.admin))} or exists (select 1 from ${teamUnit}
          where ${teamUnit.teamId} = ${team.id} and ${teamUnit.unit} = 'code' and ${teamUnit.mode} >= ${write}))`;
  const rows = await db
    .select({ id: team.id })
    .from(team)
    .where(and(inArray(team.id, [...teamIds]), counts));
  return new Set(rows.map(({ id }) => id));
}
