import { and, asc, count, eq, getTableColumns, sql, type SQL } from "drizzle-orm";
import { ownerShownSql, ownerVisibleSql } from "../../../auth/access-sql.ts";
import type { OwnerRow } from "../../../auth/subject.ts";
import { viewerOf, type Viewer } from "../../../auth/viewer-of.ts";
import type { Reader, Transaction } from "../../../db/client.ts";
import { accessModes, owner, publicMember, team, teamMember } from "../../../db/schema/owners.ts";
import { repository } from "../../../db/schema/repositories.ts";
import { NotFound } from "../../spine/errors.ts";
import { listFoundOwners, listVisibleOwners, ownersNamed } from "../owners/list-queries.ts";

interface Page {
  size: number;
  offset: number;
  /** Those whose names begin with this come first, in a search; in lower case. */
  prefix?: string;
}

export async function insertOrganization(
  tx: Transaction,
  fields: Omit<typeof owner.$inferInsert, "kind" | "lowerName" | "id">,
): Promise<number> {
  const [row] = await tx
    .insert(owner)
    .values({ ...fields, kind: "organization", lowerName: fields.name.toLowerCase() })
    .returning({ id: owner.id });
  if (row === undefined) {
    throw new Error("An insert returned no row");
  }
  return row.id;
}

export async function insertTeam(
  tx: Transaction,
  fields: Omit<typeof team.$inferInsert, "lowerName" | "id">,
): Promise<number> {
  const [row] = await tx
    .insert(team)
    .values({ ...fields, lowerName: fields.name.toLowerCase() })
    .returning({ id: team.id });
  if (row === undefined) {
    throw new Error("An insert returned no row");
  }
  return row.id;
}

/** False when they were in it already. */
export async function insertTeamMember(tx: Transaction, teamId: number, userId: number): Promise<boolean> {
  const rows = await tx
    .insert(teamMember)
    .values({ teamId, userId })
    .onConflictDoNothing()
    .returning({ id: teamMember.teamId });
  return rows.length > 0;
}

/** The organization's row, which the caller knows to exist. */
export async function getOrganization(db: Reader, id: number): Promise<typeof owner.$inferSelect> {
  const [row] = await db.select().from(owner).where(eq(owner.id, id));
  if (row === undefined) {
    throw new NotFound("organization", String(id));
  }
  return row;
}

/** Whether a user is in a team of the organization `owner`. */
function isMemberSql(userId: number | null): SQL {
  return sql`exists (select 1 from ${teamMember} join ${team} on ${team.id} = ${teamMember.teamId}
    where ${teamMember.userId} = ${userId}::bigint and ${team.organizationId} = ${owner.id})`;
}

/** Whether the viewer may know that this user is a member of the organization `owner`, who is one. */
function membershipKnownSql(userId: number, { actor }: Viewer): SQL {
  if (actor !== null && (actor.isAdmin || actor.id === userId)) {
    return sql`true`;
  }
  return sql`(${isMemberSql(actor?.id ?? null)}
    or exists (select 1 from ${publicMember} where ${publicMember.organizationId} = ${owner.id} and ${publicMember.userId} = ${userId}))`;
}

/** A page by name of the organizations that the viewer may know of and that have a text in their name or full name. */
export function searchOrganizations(
  db: Reader,
  viewer: Viewer,
  text: string,
  page: Page,
): Promise<{ rows: OwnerRow[]; total: number }> {
  return text === ""
    ? listVisibleOwners(db, viewer, "organization", page)
    : listFoundOwners(db, viewer, "organization", sql`(${ownersNamed(text.toLowerCase())})`, page);
}

/** A page by name of the organizations that the viewer may know of, or of those that they may know a user to be a member of. */
export async function listOrganizations(
  db: Reader,
  viewer: Viewer,
  filter: { memberId?: number },
  page: Page,
): Promise<{ rows: OwnerRow[]; total: number }> {
  const { memberId } = filter;
  if (memberId === undefined) {
    return listVisibleOwners(db, viewer, "organization", page);
  }
  const memberships = sql`(select ${owner.id} from ${owner} where ${owner.id} in (select ${team.organizationId} from ${teamMember}
    join ${team} on ${team.id} = ${teamMember.teamId} where ${teamMember.userId} = ${memberId}) and ${membershipKnownSql(memberId, viewer)})`;
  return listFoundOwners(db, viewer, "organization", memberships, page);
}

/**
 * Returns a page of an organization's members by name, or of its public members, without those whom the viewer may not
 * know of.
 */
export async function listMembers(
  db: Reader,
  viewer: Viewer,
  organizationId: number,
  which: "all" | "public",
  page: Page,
): Promise<{ rows: OwnerRow[]; total: number }> {
  const member = sql`${owner.id} in (select ${teamMember.userId} from ${teamMember} join ${team} on ${team.id} = ${teamMember.teamId} where ${team.organizationId} = ${organizationId})`;
  const known = sql`${owner.id} in (select ${publicMember.userId} from ${publicMember} where ${publicMember.organizationId} = ${organizationId})`;
  const where =
    which === "all"
      ? and(member, ownerShownSql(viewerOf(viewer)))
      : and(member, known, ownerVisibleSql(viewerOf(viewer)));
  const [counted, rows] = await Promise.all([
    db.select({ value: count() }).from(owner).where(where),
    db
      .select(getTableColumns(owner))
      .from(owner)
      .where(where)
      .orderBy(asc(owner.lowerName))
      .limit(page.size)
      .offset(page.offset),
  ]);
  return { rows, total: counted[0]?.value ?? 0 };
}

export async function isPublicMember(db: Reader, organizationId: number, userId: number): Promise<boolean> {
  const rows = await db
    .select({ id: publicMember.userId })
    .from(publicMember)
    .where(and(eq(publicMember.organizationId, organizationId), eq(publicMember.userId, userId)));
  return rows.length > 0;
}

export async function insertPublicMember(tx: Transaction, organizationId: number, userId: number): Promise<void> {
  await tx.insert(publicMember).values({ organizationId, userId }).onConflictDoNothing();
}

export async function deletePublicMember(tx: Transaction, organizationId: number, userId: number): Promise<void> {
  await tx
    .delete(publicMember)
    .where(and(eq(publicMember.organizationId, organizationId), eq(publicMember.userId, userId)));
}

/**
 * Finds the access that a user's teams give in an organization: the highest mode (null: no member), and whether they
 * may create repositories.
 */
export async function findMembership(
  db: Reader,
  organizationId: number,
  userId: number,
): Promise<{ mode: number | null; creates: boolean }> {
  const [row] = await db
    .select({
      mode: sql<number | null>`max(${team.mode})`,
      creates: sql<boolean>`coalesce(bool_or(${team.canCreateRepositories} or ${team.mode} = ${accessModes.owner}), false)`,
    })
    .from(teamMember)
    .innerJoin(team, eq(team.id, teamMember.teamId))
    .where(and(eq(team.organizationId, organizationId), eq(teamMember.userId, userId)));
  return row ?? { mode: null, creates: false };
}

/** How many owners a form offers for a new repository. */
const mostCreating = 200;

/** The organizations in which a user may create repositories, by name. */
export function listCreatingOrganizations(db: Reader, userId: number): Promise<OwnerRow[]> {
  const creating = sql`(select ${team.organizationId} from ${teamMember} join ${team} on ${team.id} = ${teamMember.teamId}
    where ${teamMember.userId} = ${userId} and (${team.canCreateRepositories} or ${team.mode} = ${accessModes.owner}))`;
  return db
    .select(getTableColumns(owner))
    .from(owner)
    .where(sql`${owner.id} in ${creating}`)
    .orderBy(asc(owner.lowerName))
    .limit(mostCreating);
}

export async function countRepositories(db: Reader, ownerId: number): Promise<number> {
  const [row] = await db.select({ value: count() }).from(repository).where(eq(repository.ownerId, ownerId));
  return row?.value ?? 0;
}

/** Deletes the row, and with it the teams and all that is the organization's and no repository. */
export async function deleteOrganizationRow(tx: Transaction, id: number): Promise<void> {
  await tx.delete(owner).where(and(eq(owner.id, id), eq(owner.kind, "organization")));
}
