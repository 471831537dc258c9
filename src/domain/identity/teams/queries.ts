import { and, asc, count, eq, getTableColumns, inArray, notExists, or, sql, type SQL } from "drizzle-orm";
import { ownerShownSql } from "../../../auth/access-sql.ts";
import type { OwnerRow } from "../../../auth/subject.ts";
import { viewerOf, type Viewer } from "../../../auth/viewer-of.ts";
import type { Reader, Transaction } from "../../../db/client.ts";
import {
  accessModes,
  owner,
  publicMember,
  team,
  teamMember,
  teamUnit,
  type TeamUnit,
} from "../../../db/schema/owners.ts";
import { collaborator, repository, teamRepository } from "../../../db/schema/repositories.ts";
import { NotFound } from "../../spine/errors.ts";
import type { TeamAccess } from "./team-access.ts";

/** A team with its organization, and what it may do in the units that it was told; administrators have no such units. */
export interface Team {
  team: typeof team.$inferSelect;
  organization: OwnerRow;
  units: Partial<Record<TeamUnit, number>>;
}

interface Page {
  size: number;
  offset: number;
}

/** Which teams a list has. Every condition narrows it. */
export interface TeamFilter {
  organizationId?: number;
  memberId?: number;
  /** Only teams that have this repository. */
  repositoryId?: number;
  /** In the name, or in the description too. */
  text?: { lower: string; inDescription: boolean };
  /** Only public organizations. */
  publicOnly?: boolean;
}

const columns = {
  team: getTableColumns(team),
  organization: getTableColumns(owner),
  units: sql<
    Partial<Record<TeamUnit, number>>
  >`(select coalesce(jsonb_object_agg(${teamUnit.unit}, ${teamUnit.mode}), '{}') from ${teamUnit} where ${teamUnit.teamId} = ${team.id})`,
};

/** Whether `team` has the repository of this id. */
function hasRepositorySql(repositoryId: number): SQL {
  return sql`(${team.mode} = ${sql.raw(String(accessModes.owner))} or ${team.includesAllRepositories}
    or exists (select 1 from ${teamRepository} where ${teamRepository.teamId} = ${team.id} and ${teamRepository.repositoryId} = ${repositoryId}))`;
}

function containing(lower: string): string {
  return `%${lower.replace(/[\\%_]/g, (character) => `\\${character}`)}%`;
}

/** A page of teams by organization and name, the owners first, and how many there are. */
export async function listTeams(db: Reader, filter: TeamFilter, page: Page): Promise<{ rows: Team[]; total: number }> {
  const { organizationId, memberId, repositoryId, text } = filter;
  const pattern = containing(text?.lower ?? "");
  const where = and(
    organizationId === undefined ? undefined : eq(team.organizationId, organizationId),
    memberId === undefined
      ? undefined
      : sql`exists (select 1 from ${teamMember} where ${teamMember.teamId} = ${team.id} and ${teamMember.userId} = ${memberId})`,
    repositoryId === undefined ? undefined : hasRepositorySql(repositoryId),
    text === undefined
      ? undefined
      : or(
          sql`${team.lowerName} like ${pattern}`,
          text.inDescription ? sql`lower(${team.description}) like ${pattern}` : undefined,
        ),
    filter.publicOnly === true ? eq(owner.visibility, "public") : undefined,
  );
  const [counted, rows] = await Promise.all([
    db.select({ value: count() }).from(team).innerJoin(owner, eq(owner.id, team.organizationId)).where(where),
    db
      .select(columns)
      .from(team)
      .innerJoin(owner, eq(owner.id, team.organizationId))
      .where(where)
      .orderBy(asc(owner.lowerName), sql`${team.mode} = 4 desc`, asc(team.lowerName))
      .limit(page.size)
      .offset(page.offset),
  ]);
  return { rows, total: counted[0]?.value ?? 0 };
}

/** The teams of these ids that are still there. */
export async function listTeamsById(db: Reader, ids: readonly number[]): Promise<Team[]> {
  return db
    .select(columns)
    .from(team)
    .innerJoin(owner, eq(owner.id, team.organizationId))
    .where(inArray(team.id, [...ids]))
    .orderBy(asc(team.lowerName));
}

export async function countTeams(db: Reader, organizationId: number): Promise<number> {
  const [row] = await db.select({ value: count() }).from(team).where(eq(team.organizationId, organizationId));
  return row?.value ?? 0;
}

/** Throws NotFound. */
export async function getTeam(db: Reader, id: number): Promise<Team> {
  const [row] = await db
    .select(columns)
    .from(team)
    .innerJoin(owner, eq(owner.id, team.organizationId))
    .where(eq(team.id, id));
  if (row === undefined) {
    throw new NotFound("team", String(id));
  }
  return row;
}

export async function updateTeam(
  tx: Transaction,
  id: number,
  fields: Partial<Omit<typeof team.$inferInsert, "id" | "organizationId" | "lowerName">>,
): Promise<void> {
  const lowerName = fields.name === undefined ? {} : { lowerName: fields.name.toLowerCase() };
  if (Object.keys(fields).length > 0) {
    await tx
      .update(team)
      .set({ ...fields, ...lowerName })
      .where(eq(team.id, id));
  }
}

/** Writes what a team may do in each unit, in place of what it might before. */
export async function replaceTeamUnits(tx: Transaction, teamId: number, access: TeamAccess): Promise<void> {
  await tx.delete(teamUnit).where(eq(teamUnit.teamId, teamId));
  const rows = Object.entries(access.units) as [TeamUnit, number][];
  if (rows.length > 0) {
    await tx.insert(teamUnit).values(rows.map(([unit, mode]) => ({ teamId, unit, mode })));
  }
}

/** Deletes a team with its memberships; the repositories that it had stay. */
export async function deleteTeamRow(tx: Transaction, id: number): Promise<void> {
  await tx.delete(team).where(eq(team.id, id));
}

export async function isTeamMember(db: Reader, teamId: number, userId: number): Promise<boolean> {
  const rows = await db
    .select({ id: teamMember.userId })
    .from(teamMember)
    .where(and(eq(teamMember.teamId, teamId), eq(teamMember.userId, userId)));
  return rows.length > 0;
}

export async function countTeamMembers(db: Reader, teamId: number): Promise<number> {
  const [row] = await db.select({ value: count() }).from(teamMember).where(eq(teamMember.teamId, teamId));
  return row?.value ?? 0;
}

/** The team of an organization that owns it. */
export async function findOwnersTeam(db: Reader, organizationId: number): Promise<{ id: number } | null> {
  const [row] = await db
    .select({ id: team.id })
    .from(team)
    .where(and(eq(team.organizationId, organizationId), eq(team.mode, accessModes.owner)));
  return row ?? null;
}

/** A page of a team's members by name, and how many they are. */
export async function listTeamMembers(
  db: Reader,
  viewer: Viewer,
  teamId: number,
  page: Page,
): Promise<{ rows: OwnerRow[]; total: number }> {
  const where = and(eq(teamMember.teamId, teamId), ownerShownSql(viewerOf(viewer)));
  const [counted, rows] = await Promise.all([
    db.select({ value: count() }).from(teamMember).innerJoin(owner, eq(owner.id, teamMember.userId)).where(where),
    db
      .select(getTableColumns(owner))
      .from(teamMember)
      .innerJoin(owner, eq(owner.id, teamMember.userId))
      .where(where)
      .orderBy(asc(owner.lowerName))
      .limit(page.size)
      .offset(page.offset),
  ]);
  return { rows, total: counted[0]?.value ?? 0 };
}

/** False when the user was none. */
export async function deleteTeamMember(tx: Transaction, teamId: number, userId: number): Promise<boolean> {
  const rows = await tx
    .delete(teamMember)
    .where(and(eq(teamMember.teamId, teamId), eq(teamMember.userId, userId)))
    .returning({ id: teamMember.userId });
  return rows.length > 0;
}

const teamsOf = (tx: Transaction, organizationId: number) =>
  tx.select({ id: team.id }).from(team).where(eq(team.organizationId, organizationId));
const repositoriesOf = (tx: Transaction, organizationId: number) =>
  tx.select({ id: repository.id }).from(repository).where(eq(repository.ownerId, organizationId));

/** Takes a user out of all teams of an organization, and what they were given in its repositories. False when they were in none. */
export async function deleteMemberships(tx: Transaction, organizationId: number, userId: number): Promise<boolean> {
  const rows = await tx
    .delete(teamMember)
    .where(and(eq(teamMember.userId, userId), inArray(teamMember.teamId, teamsOf(tx, organizationId))))
    .returning({ id: teamMember.teamId });
  await tx
    .delete(collaborator)
    .where(
      and(eq(collaborator.userId, userId), inArray(collaborator.repositoryId, repositoriesOf(tx, organizationId))),
    );
  return rows.length > 0;
}

/** Former members are no longer public members either. */
export async function removeFormerMembers(tx: Transaction, organizationId: number): Promise<void> {
  const membership = tx
    .select({ id: teamMember.userId })
    .from(teamMember)
    .innerJoin(team, eq(team.id, teamMember.teamId))
    .where(and(eq(team.organizationId, organizationId), eq(teamMember.userId, publicMember.userId)));
  await tx.delete(publicMember).where(and(eq(publicMember.organizationId, organizationId), notExists(membership)));
}

/** Whether the team has the repository, by name or because it has them all. */
export async function teamHasRepository(db: Reader, teamId: number, repositoryId: number): Promise<boolean> {
  const rows = await db
    .select({ id: team.id })
    .from(team)
    .where(and(eq(team.id, teamId), hasRepositorySql(repositoryId)));
  return rows.length > 0;
}

export async function insertTeamRepository(tx: Transaction, teamId: number, repositoryId: number): Promise<void> {
  await tx.insert(teamRepository).values({ teamId, repositoryId }).onConflictDoNothing();
}

/** False when the team had it not, or has it because it has them all. */
export async function deleteTeamRepository(tx: Transaction, teamId: number, repositoryId: number): Promise<boolean> {
  const rows = await tx
    .delete(teamRepository)
    .where(and(eq(teamRepository.teamId, teamId), eq(teamRepository.repositoryId, repositoryId)))
    .returning({ id: teamRepository.teamId });
  return rows.length > 0;
}
