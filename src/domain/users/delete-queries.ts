import { and, asc, eq, inArray, sql } from "drizzle-orm";
import type { RepositoryRow } from "../../auth/subject.ts";
import type { Reader, Transaction } from "../../db/client.ts";
import { accessModes, account, owner, team, teamMember } from "../../db/schema/owners.ts";
import { repository } from "../../db/schema/repositories.ts";

/** Until the transaction ends the user gets nothing new: no membership, no key, no token. */
export async function lockAccountRow(tx: Transaction, userId: number): Promise<void> {
  await tx.select({ id: account.ownerId }).from(account).where(eq(account.ownerId, userId)).for("update");
}

/** The owners teams that a user is in. */
export async function ownersTeamsOf(db: Reader, userId: number): Promise<{ teamId: number; organizationId: number }[]> {
  return db
    .select({ teamId: team.id, organizationId: team.organizationId })
    .from(teamMember)
    .innerJoin(team, eq(team.id, teamMember.teamId))
    .where(and(eq(teamMember.userId, userId), eq(team.mode, accessModes.owner)))
    .orderBy(asc(team.organizationId));
}

/** Nobody joins these teams or leaves them until the transaction ends. */
export async function lockTeams(tx: Transaction, ids: readonly number[]): Promise<void> {
  await tx.select({ id: team.id }).from(team).where(inArray(team.id, [...ids])).orderBy(asc(team.id)).for("update");
  await tx.select({ id: teamMember.teamId }).from(teamMember).where(inArray(teamMember.teamId, [...ids])).orderBy(asc(teamMember.teamId), asc(teamMember.userId)).for("update");
}

/** Those of these teams that have one member only. */
export async function teamsOfOne(db: Reader, ids: readonly number[]): Promise<Set<number>> {
  const rows = await db.select({ id: teamMember.teamId }).from(teamMember).where(inArray(teamMember.teamId, [...ids])).groupBy(teamMember.teamId).having(sql`count(*) = 1`);
  return new Set(rows.map(({ id }) => id));
}

export async function repositoriesOf(db: Reader, ownerIds: readonly number[]): Promise<RepositoryRow[]> {
  return db.select().from(repository).where(inArray(repository.ownerId, [...ownerIds])).orderBy(asc(repository.id));
}

/** Deletes the rows, and with each all that refers to it and is nobody else's. */
export async function deleteOwners(tx: Transaction, ids: readonly number[]): Promise<void> {
  await tx.delete(owner).where(inArray(owner.id, [...ids]));
}
