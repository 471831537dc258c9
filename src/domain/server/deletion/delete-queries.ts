import { and, asc, eq, inArray, sql } from "drizzle-orm";
import type { Reader, Transaction } from "../../../db/client.ts";
import { accessModes, account, owner, team, teamMember } from "../../../db/schema/owners.ts";
import { repository } from "../../../db/schema/repositories.ts";

/** Until the transaction ends the user gets nothing new: no membership, no key, no token. */
export async function lockAccountForDeletion(tx: Transaction, userId: number): Promise<void> {
  await tx.select({ id: account.ownerId }).from(account).where(eq(account.ownerId, userId)).for("update");
}

/** The organizations that a user owns, alone or with others. */
export async function organizationsOwnedBy(db: Reader, userId: number): Promise<number[]> {
  const rows = await db
    .selectDistinct({ id: team.organizationId })
    .from(teamMember)
    .innerJoin(team, eq(team.id, teamMember.teamId))
    .where(and(eq(teamMember.userId, userId), eq(team.mode, accessModes.owner)))
    .orderBy(asc(team.organizationId));
  return rows.map(({ id }) => id);
}

/** Until the transaction ends nobody begins or ceases to own these organizations. */
export async function lockOwnership(tx: Transaction, organizationIds: readonly number[]): Promise<void> {
  const owners = and(inArray(team.organizationId, [...organizationIds]), eq(team.mode, accessModes.owner));
  const teams = await tx.select({ id: team.id }).from(team).where(owners).orderBy(asc(team.id)).for("update");
  const ids = teams.map(({ id }) => id);
  await tx
    .select({ id: teamMember.teamId })
    .from(teamMember)
    .where(inArray(teamMember.teamId, ids))
    .orderBy(asc(teamMember.teamId), asc(teamMember.userId))
    .for("update");
}

/** Returns the organizations that only this user owns. */
export async function ownedAlone(db: Reader, organizationIds: readonly number[], userId: number): Promise<number[]> {
  const others = sql`exists (select 1 from ${team} join ${teamMember} on ${teamMember.teamId} = ${team.id}
    where ${team.organizationId} = ${owner.id} and ${team.mode} = ${accessModes.owner} and ${teamMember.userId} <> ${userId})`;
  const rows = await db
    .select({ id: owner.id })
    .from(owner)
    .where(and(inArray(owner.id, [...organizationIds]), sql`not ${others}`))
    .orderBy(asc(owner.id));
  return rows.map(({ id }) => id);
}

/** The ids of what these owners own. */
export async function repositoriesOf(db: Reader, ownerIds: readonly number[]): Promise<number[]> {
  const rows = await db
    .select({ id: repository.id })
    .from(repository)
    .where(inArray(repository.ownerId, [...ownerIds]));
  return rows.map(({ id }) => id);
}

/** Deletes the rows, and with each all that refers to it and is nobody else's. */
export async function deleteOwners(tx: Transaction, ids: readonly number[]): Promise<void> {
  await tx.delete(owner).where(inArray(owner.id, [...ids]));
}
