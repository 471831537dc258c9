import { and, eq, getTableName, inArray, sql, type SQL } from "drizzle-orm";
import { alias, type PgTable } from "drizzle-orm/pg-core";
import { accessColumns, teamHasRepository } from "../../../auth/access-sql.ts";
import { unitMode } from "../../../auth/unit-modes.ts";
import type { Reader, Transaction } from "../../../db/client.ts";
import { account, owner, team, teamUnit } from "../../../db/schema/owners.ts";
import {
  branchProtection,
  branchProtectionTeam,
  branchProtectionUser,
  tagProtection,
  tagProtectionTeam,
  tagProtectionUser,
} from "../../../db/schema/protections.ts";
import { repository } from "../../../db/schema/repositories.ts";

/** A user or team, and what they may do with the code of a repository: one of accessModes. */
export interface Candidate {
  id: number;
  mode: number;
}

const listedAccount = alias(account, "listed_account");
const listedOwner = alias(owner, "listed_owner");

/** The access of `listed_account` to `repository` of `owner`. */
const access = accessColumns({
  id: sql`${listedAccount.ownerId}`,
  isAdmin: sql`${listedAccount.isAdmin}`,
  restricted: sql`${listedAccount.restricted}`,
});

/** The access of `team` to the code of its repositories. */
const codeMode =
  sql<number>`(case when ${team.mode} >= 3 then ${team.mode} else coalesce((select ${teamUnit.mode} from ${teamUnit}
  where ${teamUnit.teamId} = ${team.id} and ${teamUnit.unit} = 'code'), 0) end)`.mapWith(Number);

/** Users by their names in lower case, those whom nobody else may know of, too: only whether they have access is told. */
export async function findCandidateUsers(
  db: Reader,
  repositoryId: number,
  lowerNames: readonly string[],
): Promise<Map<string, Candidate>> {
  const rows = await db
    .select({ id: listedOwner.id, lowerName: listedOwner.lowerName, ...access })
    .from(repository)
    .innerJoin(owner, eq(owner.id, repository.ownerId))
    .innerJoin(listedOwner, inArray(listedOwner.lowerName, [...lowerNames]))
    .innerJoin(listedAccount, eq(listedAccount.ownerId, listedOwner.id))
    .where(eq(repository.id, repositoryId));
  return new Map(rows.map((row) => [row.lowerName, { id: row.id, mode: unitMode(true, row, "code") }]));
}

/** Teams that have the repository, by their names in lower case. */
export async function findCandidateTeams(
  db: Reader,
  repositoryId: number,
  lowerNames: readonly string[],
): Promise<Map<string, Candidate>> {
  const rows = await db
    .select({ id: team.id, lowerName: team.lowerName, mode: codeMode })
    .from(repository)
    .innerJoin(team, and(eq(team.organizationId, repository.ownerId), inArray(team.lowerName, [...lowerNames])))
    .where(and(eq(repository.id, repositoryId), teamHasRepository));
  return new Map(rows.map(({ id, lowerName, mode }) => [lowerName, { id, mode }]));
}

/** Which places on lists are looked at again. Every condition narrows it. */
export interface Places {
  repositoryId?: number;
  /** The owner of the repositories. */
  ownerId?: number;
  /** The user, for places of users. */
  userId?: number;
}

/** Removes users and teams from the lists of protections whose repository they have lost: a reader may approve, the others write. */
export async function deleteLostPlaces(tx: Transaction, places: Places): Promise<void> {
  const where = and(
    places.repositoryId === undefined ? undefined : eq(repository.id, places.repositoryId),
    places.ownerId === undefined ? undefined : eq(repository.ownerId, places.ownerId),
  );
  const ofUser = places.userId === undefined ? undefined : eq(listedAccount.ownerId, places.userId);
  for (const kind of ["branch", "tag"] as const) {
    const [protection, users, teams] =
      kind === "branch"
        ? ([branchProtection, branchProtectionUser, branchProtectionTeam] as const)
        : ([tagProtection, tagProtectionUser, tagProtectionTeam] as const);
    const list = "list" in users ? sql<string>`${users.list}` : sql<string>`''`;
    const teamList = "list" in teams ? sql<string>`${teams.list}` : sql<string>`''`;
    const userPlaces = await tx
      .select({ protectionId: users.protectionId, list, id: users.userId, ...access })
      .from(users)
      .innerJoin(protection, eq(protection.id, users.protectionId))
      .innerJoin(repository, eq(repository.id, protection.repositoryId))
      .innerJoin(owner, eq(owner.id, repository.ownerId))
      .innerJoin(listedAccount, eq(listedAccount.ownerId, users.userId))
      .where(and(where, ofUser));
    await deletePlaces(
      tx,
      users,
      sql`user_id`,
      userPlaces.filter((place) => unitMode(true, place, "code") < neededMode(place.list)),
    );
    const teamPlaces = await tx
      .select({
        protectionId: teams.protectionId,
        list: teamList,
        id: teams.teamId,
        mode: sql<number>`(case when ${team.organizationId} = ${repository.ownerId} and ${teamHasRepository} then ${codeMode} else 0 end)`.mapWith(
          Number,
        ),
      })
      .from(teams)
      .innerJoin(protection, eq(protection.id, teams.protectionId))
      .innerJoin(repository, eq(repository.id, protection.repositoryId))
      .innerJoin(team, eq(team.id, teams.teamId))
      .where(where);
    await deletePlaces(
      tx,
      teams,
      sql`team_id`,
      teamPlaces.filter((place) => place.mode < neededMode(place.list)),
    );
  }
}

/** Returns the access that a list needs: reading the code to approve, writing to it for everything else. */
export function neededMode(list: string): number {
  return list === "approvals" ? 1 : 2;
}

async function deletePlaces(
  tx: Transaction,
  table: PgTable,
  column: SQL,
  places: readonly { protectionId: number; list: string; id: number }[],
): Promise<void> {
  if (places.length === 0) {
    return;
  }
  const ofList = getTableName(table).startsWith("branch") ? sql`and place.list = lost.list` : sql``;
  await tx.execute(sql`delete from ${table} place
    using json_to_recordset(${JSON.stringify(places)}::json) as lost ("protectionId" bigint, list text, id bigint)
    where place.protection_id = lost."protectionId" and place.${column} = lost.id ${ofList}`);
}
