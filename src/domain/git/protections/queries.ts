import { and, asc, count, eq, inArray, max, sql } from "drizzle-orm";
import type { Reader, Transaction } from "../../../db/client.ts";
import { owner, team } from "../../../db/schema/owners.ts";
import {
  branchProtection,
  branchProtectionTeam,
  branchProtectionUser,
  tagProtection,
  tagProtectionTeam,
  tagProtectionUser,
  type ProtectionList,
} from "../../../db/schema/protections.ts";

export type BranchProtectionRow = typeof branchProtection.$inferSelect;
export type TagProtectionRow = typeof tagProtection.$inferSelect;

/** The users and teams of a list, by name. */
export interface ListedNames {
  users: string[];
  teams: string[];
}

/** A protection of branches with its lists. */
export interface BranchProtection {
  row: BranchProtectionRow;
  lists: Readonly<Partial<Record<ProtectionList, ListedNames>>>;
}

/** A protection of tags with its list. */
export interface TagProtection {
  row: TagProtectionRow;
  list: ListedNames;
}

interface Slice {
  size: number;
  offset: number;
}

/** Exact names come first, then patterns by their priority: so they are tried. */
const inOrder = [
  sql`${branchProtection.ruleName} ~ '[]*?\\\\[{}]'`,
  asc(branchProtection.priority),
  asc(branchProtection.id),
];

/** A page of a repository's protections of branches, in the order in which they are tried, and how many there are. */
export async function listBranchProtections(
  db: Reader,
  repositoryId: number,
  page: Slice,
): Promise<{ rows: BranchProtection[]; total: number }> {
  const where = eq(branchProtection.repositoryId, repositoryId);
  const [total, rows] = await Promise.all([
    countBranchProtections(db, repositoryId),
    db
      .select()
      .from(branchProtection)
      .where(where)
      .orderBy(...inOrder)
      .limit(page.size)
      .offset(page.offset),
  ]);
  return { rows: await withLists(db, rows), total };
}

export async function countBranchProtections(db: Reader, repositoryId: number): Promise<number> {
  const [row] = await db
    .select({ value: count() })
    .from(branchProtection)
    .where(eq(branchProtection.repositoryId, repositoryId));
  return row?.value ?? 0;
}

/** The protection of this name or pattern. */
export async function findBranchProtection(
  db: Reader,
  repositoryId: number,
  ruleName: string,
): Promise<BranchProtection | null> {
  const rows = await db
    .select()
    .from(branchProtection)
    .where(and(eq(branchProtection.repositoryId, repositoryId), eq(branchProtection.ruleName, ruleName)));
  return (await withLists(db, rows))[0] ?? null;
}

async function withLists(db: Reader, rows: readonly BranchProtectionRow[]): Promise<BranchProtection[]> {
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) {
    return [];
  }
  const [users, teams] = await Promise.all([
    db
      .select({ protectionId: branchProtectionUser.protectionId, list: branchProtectionUser.list, name: owner.name })
      .from(branchProtectionUser)
      .innerJoin(owner, eq(owner.id, branchProtectionUser.userId))
      .where(inArray(branchProtectionUser.protectionId, ids))
      .orderBy(asc(owner.lowerName)),
    db
      .select({ protectionId: branchProtectionTeam.protectionId, list: branchProtectionTeam.list, name: team.name })
      .from(branchProtectionTeam)
      .innerJoin(team, eq(team.id, branchProtectionTeam.teamId))
      .where(inArray(branchProtectionTeam.protectionId, ids))
      .orderBy(asc(team.lowerName)),
  ]);
  return rows.map((row) => {
    const lists: Partial<Record<ProtectionList, ListedNames>> = {};
    for (const [kind, entries] of [
      ["users", users],
      ["teams", teams],
    ] as const) {
      for (const { list, name } of entries.filter(({ protectionId }) => protectionId === row.id)) {
        (lists[list] ??= { users: [], teams: [] })[kind].push(name);
      }
    }
    return { row, lists };
  });
}

/** The lowest place in the order of patterns: behind all that there are. */
export async function lastPriority(tx: Transaction, repositoryId: number): Promise<number> {
  const [row] = await tx
    .select({ value: max(branchProtection.priority) })
    .from(branchProtection)
    .where(eq(branchProtection.repositoryId, repositoryId));
  return row?.value ?? 0;
}

export async function insertBranchProtection(
  tx: Transaction,
  values: typeof branchProtection.$inferInsert,
): Promise<BranchProtectionRow> {
  const [row] = await tx.insert(branchProtection).values(values).returning();
  if (row === undefined) {
    throw new Error("A protection was not inserted");
  }
  return row;
}

/** Writes columns of a protection; `updated_at` changes also where there are none. */
export async function updateBranchProtection(
  tx: Transaction,
  id: number,
  columns: Partial<typeof branchProtection.$inferInsert>,
): Promise<BranchProtectionRow> {
  const [row] = await tx
    .update(branchProtection)
    .set({ ...columns, updatedAt: sql`now()` })
    .where(eq(branchProtection.id, id))
    .returning();
  if (row === undefined) {
    throw new Error("A protection was not there to be changed");
  }
  return row;
}

/** Copies the protections of branches of one repository to another one that has none, with their lists; returns the new ones. */
export async function copyBranchProtectionRows(tx: Transaction, fromId: number, toId: number): Promise<boolean> {
  const rows = await tx.select().from(branchProtection).where(eq(branchProtection.repositoryId, fromId));
  if (rows.length === 0) {
    return false;
  }
  await tx
    .insert(branchProtection)
    .values(
      rows.map(({ id: _id, createdAt: _created, updatedAt: _updated, ...row }) =>
        Object.assign(row, { repositoryId: toId }),
      ),
    );
  for (const [table, member] of [
    [branchProtectionUser, sql`user_id`],
    [branchProtectionTeam, sql`team_id`],
  ] as const) {
    await tx.execute(sql`insert into ${table} (protection_id, list, ${member})
      select copy.id, listed.list, listed.${member} from ${table} listed
      join ${branchProtection} original on original.id = listed.protection_id
      join ${branchProtection} copy on copy.repository_id = ${toId} and copy.rule_name = original.rule_name
      where original.repository_id = ${fromId}`);
  }
  return true;
}

export async function deleteBranchProtectionRow(tx: Transaction, id: number): Promise<void> {
  await tx.delete(branchProtection).where(eq(branchProtection.id, id));
}

/** Puts these users on a list in place of those who were. */
export async function replaceListedUsers(
  tx: Transaction,
  protectionId: number,
  list: ProtectionList,
  userIds: readonly number[],
): Promise<void> {
  await tx
    .delete(branchProtectionUser)
    .where(and(eq(branchProtectionUser.protectionId, protectionId), eq(branchProtectionUser.list, list)));
  if (userIds.length > 0) {
    await tx.insert(branchProtectionUser).values(userIds.map((userId) => ({ protectionId, list, userId })));
  }
}

/** Puts these teams on a list in place of those that were. */
export async function replaceListedTeams(
  tx: Transaction,
  protectionId: number,
  list: ProtectionList,
  teamIds: readonly number[],
): Promise<void> {
  await tx
    .delete(branchProtectionTeam)
    .where(and(eq(branchProtectionTeam.protectionId, protectionId), eq(branchProtectionTeam.list, list)));
  if (teamIds.length > 0) {
    await tx.insert(branchProtectionTeam).values(teamIds.map((teamId) => ({ protectionId, list, teamId })));
  }
}

/** Ids of all protections of a repository, in the order in which they are tried. */
export async function listBranchProtectionIds(tx: Transaction, repositoryId: number): Promise<number[]> {
  const rows = await tx
    .select({ id: branchProtection.id })
    .from(branchProtection)
    .where(eq(branchProtection.repositoryId, repositoryId))
    .orderBy(asc(branchProtection.priority), asc(branchProtection.id));
  return rows.map(({ id }) => id);
}

/** Gives protections the priorities 1, 2, 3 … in this order. */
export async function writePriorities(tx: Transaction, ids: readonly number[]): Promise<void> {
  await tx.execute(sql`update ${branchProtection} set priority = ordered.place, updated_at = now()
    from unnest(${sql.param([...ids])}::bigint[]) with ordinality as ordered (id, place)
    where ${branchProtection.id} = ordered.id and ${branchProtection.priority} <> ordered.place`);
}

/** A page of a repository's protections of tags, the oldest first, and how many there are. */
export async function listTagProtections(
  db: Reader,
  repositoryId: number,
  page: Slice,
): Promise<{ rows: TagProtection[]; total: number }> {
  const where = eq(tagProtection.repositoryId, repositoryId);
  const [total, rows] = await Promise.all([
    countTagProtections(db, repositoryId),
    db.select().from(tagProtection).where(where).orderBy(asc(tagProtection.id)).limit(page.size).offset(page.offset),
  ]);
  return { rows: await withList(db, rows), total };
}

export async function countTagProtections(db: Reader, repositoryId: number): Promise<number> {
  const [row] = await db
    .select({ value: count() })
    .from(tagProtection)
    .where(eq(tagProtection.repositoryId, repositoryId));
  return row?.value ?? 0;
}

/** The protection of this id, if it is one of the repository. */
export async function findTagProtection(db: Reader, repositoryId: number, id: number): Promise<TagProtection | null> {
  const rows = await db
    .select()
    .from(tagProtection)
    .where(and(eq(tagProtection.repositoryId, repositoryId), eq(tagProtection.id, id)));
  return (await withList(db, rows))[0] ?? null;
}

/** Whether another protection of the repository than `exceptId` has this pattern. */
export async function hasTagPattern(
  tx: Transaction,
  repositoryId: number,
  namePattern: string,
  exceptId: number | null,
): Promise<boolean> {
  const rows = await tx
    .select({ id: tagProtection.id })
    .from(tagProtection)
    .where(and(eq(tagProtection.repositoryId, repositoryId), eq(tagProtection.namePattern, namePattern)));
  return rows.some(({ id }) => id !== exceptId);
}

async function withList(db: Reader, rows: readonly TagProtectionRow[]): Promise<TagProtection[]> {
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) {
    return [];
  }
  const [users, teams] = await Promise.all([
    db
      .select({ protectionId: tagProtectionUser.protectionId, name: owner.name })
      .from(tagProtectionUser)
      .innerJoin(owner, eq(owner.id, tagProtectionUser.userId))
      .where(inArray(tagProtectionUser.protectionId, ids))
      .orderBy(asc(owner.lowerName)),
    db
      .select({ protectionId: tagProtectionTeam.protectionId, name: team.name })
      .from(tagProtectionTeam)
      .innerJoin(team, eq(team.id, tagProtectionTeam.teamId))
      .where(inArray(tagProtectionTeam.protectionId, ids))
      .orderBy(asc(team.lowerName)),
  ]);
  const namesOf = (entries: typeof users, id: number) =>
    entries.filter(({ protectionId }) => protectionId === id).map(({ name }) => name);
  return rows.map((row) => ({ row, list: { users: namesOf(users, row.id), teams: namesOf(teams, row.id) } }));
}

export async function insertTagProtection(
  tx: Transaction,
  repositoryId: number,
  namePattern: string,
): Promise<TagProtectionRow> {
  const [row] = await tx.insert(tagProtection).values({ repositoryId, namePattern }).returning();
  if (row === undefined) {
    throw new Error("A protection was not inserted");
  }
  return row;
}

/** Writes the pattern of a protection, where there is a new one, and when it was changed. */
export async function updateTagProtection(tx: Transaction, id: number, namePattern?: string): Promise<void> {
  await tx
    .update(tagProtection)
    .set({ ...(namePattern === undefined ? {} : { namePattern }), updatedAt: sql`now()` })
    .where(eq(tagProtection.id, id));
}

export async function deleteTagProtectionRow(tx: Transaction, id: number): Promise<void> {
  await tx.delete(tagProtection).where(eq(tagProtection.id, id));
}

/** Puts these users on the list of a protection of tags in place of those who were. */
export async function replaceTagUsers(
  tx: Transaction,
  protectionId: number,
  userIds: readonly number[],
): Promise<void> {
  await tx.delete(tagProtectionUser).where(eq(tagProtectionUser.protectionId, protectionId));
  if (userIds.length > 0) {
    await tx.insert(tagProtectionUser).values(userIds.map((userId) => ({ protectionId, userId })));
  }
}

/** Puts these teams on the list of a protection of tags in place of those that were. */
export async function replaceTagTeams(
  tx: Transaction,
  protectionId: number,
  teamIds: readonly number[],
): Promise<void> {
  await tx.delete(tagProtectionTeam).where(eq(tagProtectionTeam.protectionId, protectionId));
  if (teamIds.length > 0) {
    await tx.insert(tagProtectionTeam).values(teamIds.map((teamId) => ({ protectionId, teamId })));
  }
}
