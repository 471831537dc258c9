import { and, count, desc, eq, getTableColumns, inArray, sql } from "drizzle-orm";
import { ownerShownSql, ownerVisibleSql } from "../../../auth/access-sql.ts";
import type { OwnerRow } from "../../../auth/subject.ts";
import { viewerOf, type Viewer } from "../../../auth/viewer-of.ts";
import type { Reader, Transaction } from "../../../db/client.ts";
import { preparedByShape } from "../../../db/prepared-by-shape.ts";
import { repositoryCount } from "../../../db/schema/lists.ts";
import { owner } from "../../../db/schema/owners.ts";
import { block, follow, star, watch } from "../../../db/schema/social.ts";
import { lockOwners } from "../owners/queries.ts";

interface Slice {
  size: number;
  offset: number;
}

export async function insertFollow(tx: Transaction, followerId: number, followedId: number): Promise<void> {
  await tx.insert(follow).values({ followerId, followedId }).onConflictDoNothing();
}

export async function removeFollow(tx: Transaction, followerId: number, followedId: number): Promise<void> {
  await tx.delete(follow).where(and(eq(follow.followerId, followerId), eq(follow.followedId, followedId)));
}

export async function isFollowing(db: Reader, followerId: number, followedId: number): Promise<boolean> {
  const [row] = await db
    .select({ id: follow.followedId })
    .from(follow)
    .where(and(eq(follow.followerId, followerId), eq(follow.followedId, followedId)));
  return row !== undefined;
}

/** Locks the numbers of stars and watchers of repositories for this transaction, in the order of their ids. */
export async function lockRepositoryCounts(tx: Transaction, ids: readonly number[]): Promise<void> {
  await tx.execute(sql`select from ${repositoryCount} where ${repositoryCount.repositoryId} = any(${sql.param([...ids])}::bigint[])
    order by ${repositoryCount.repositoryId} for no key update`);
}

export async function insertStar(tx: Transaction, userId: number, repositoryId: number): Promise<void> {
  await tx.insert(star).values({ userId, repositoryId }).onConflictDoNothing();
}

export async function removeStar(tx: Transaction, userId: number, repositoryId: number): Promise<void> {
  // The rows that count it come first (lock order, rows 7 and 10): whoever deletes the repository takes them before the stars.
  await lockOwners(tx, [userId]);
  await lockRepositoryCounts(tx, [repositoryId]);
  await tx.delete(star).where(and(eq(star.userId, userId), eq(star.repositoryId, repositoryId)));
}

export async function hasStarred(db: Reader, userId: number, repositoryId: number): Promise<boolean> {
  const [row] = await db
    .select({ id: star.userId })
    .from(star)
    .where(and(eq(star.userId, userId), eq(star.repositoryId, repositoryId)));
  return row !== undefined;
}

export async function insertWatch(tx: Transaction, userId: number, repositoryId: number): Promise<void> {
  await tx.insert(watch).values({ userId, repositoryId }).onConflictDoNothing();
}

/** What a user hears of a repository that they watch. */
export interface WatchKinds {
  issues: boolean;
  pulls: boolean;
  releases: boolean;
}

/** Sets what a user hears of a repository. Returns whether they watch it. */
export async function updateWatch(
  tx: Transaction,
  userId: number,
  repositoryId: number,
  kinds: WatchKinds,
): Promise<boolean> {
  const rows = await tx
    .update(watch)
    .set(kinds)
    .where(and(eq(watch.userId, userId), eq(watch.repositoryId, repositoryId)))
    .returning({ issues: watch.issues });
  return rows.length > 0;
}

/** What a user hears of these repositories, by their ids; without those that they do not watch. */
export async function findWatchKinds(
  db: Reader,
  userId: number,
  repositoryIds: readonly number[],
): Promise<Map<number, WatchKinds>> {
  const rows =
    repositoryIds.length === 0
      ? []
      : await db
          .select({ id: watch.repositoryId, issues: watch.issues, pulls: watch.pulls, releases: watch.releases })
          .from(watch)
          .where(and(eq(watch.userId, userId), inArray(watch.repositoryId, [...repositoryIds])));
  return new Map(rows.map(({ id, ...kinds }) => [id, kinds]));
}

export async function removeWatch(tx: Transaction, userId: number, repositoryId: number): Promise<void> {
  await lockRepositoryCounts(tx, [repositoryId]);
  await tx.delete(watch).where(and(eq(watch.userId, userId), eq(watch.repositoryId, repositoryId)));
}

/** The relations of a user to a repository that its pages show. */
export interface Marks {
  starred: boolean;
  watched: boolean;
}

const marked = (table: typeof star | typeof watch) =>
  sql<boolean>`exists (select 1 from ${table} where ${table.userId} = one.user_id and ${table.repositoryId} = one.repository_id)`;
const marksOf = preparedByShape((db: Reader) => {
  const one = sql`(select ${sql.placeholder("userId")}::bigint as user_id, ${sql.placeholder("repositoryId")}::bigint as repository_id) one`;
  return db
    .select({ starred: marked(star), watched: marked(watch) })
    .from(one)
    .prepare("marks_of_user");
});

/** Whether a user starred a repository, and whether they watch it: one query. */
export async function findMarks(db: Reader, userId: number, repositoryId: number): Promise<Marks> {
  const [row] = await marksOf(db, null).execute({ userId, repositoryId });
  return row ?? { starred: false, watched: false };
}

/** Since when the user watches the repository; null when they do not. */
export async function findWatch(db: Reader, userId: number, repositoryId: number): Promise<{ createdAt: Date } | null> {
  const [row] = await db
    .select({ createdAt: watch.createdAt })
    .from(watch)
    .where(and(eq(watch.userId, userId), eq(watch.repositoryId, repositoryId)));
  return row ?? null;
}

/** A user by name whom the viewer may know of; null for anybody else, organizations included. */
export async function findVisibleUser(db: Reader, viewer: Viewer, name: string): Promise<OwnerRow | null> {
  const [row] = await db
    .select(getTableColumns(owner))
    .from(owner)
    .where(and(eq(owner.lowerName, name.toLowerCase()), eq(owner.kind, "user"), ownerVisibleSql(viewerOf(viewer))));
  return row ?? null;
}

/**
 * A user by name of whom an insider knows that they are there (in a team, on a repository), whatever they show to others;
 * null where the viewer's credential does not show them: what lists of people leave out, questions about one leave out, too.
 */
export async function findShownUser(db: Reader, viewer: Viewer, name: string): Promise<OwnerRow | null> {
  const [row] = await db
    .select(getTableColumns(owner))
    .from(owner)
    .where(and(eq(owner.lowerName, name.toLowerCase()), eq(owner.kind, "user"), ownerShownSql(viewerOf(viewer))));
  return row ?? null;
}

/** The relations by which users are listed: each names its users and the instant that orders them, the newest first. */
const relations = {
  followers: { table: follow, user: follow.followerId, of: follow.followedId, at: follow.createdAt },
  following: { table: follow, user: follow.followedId, of: follow.followerId, at: follow.createdAt },
  stargazers: { table: star, user: star.userId, of: star.repositoryId, at: star.createdAt },
  watchers: { table: watch, user: watch.userId, of: watch.repositoryId, at: watch.createdAt },
} as const;

/** A page of the users in a relation to a user or repository, those whom the viewer may know of, and how many these are. */
export async function listRelatedUsers(
  db: Reader,
  viewer: Viewer,
  kind: keyof typeof relations,
  ofId: number,
  page: Slice,
): Promise<{ rows: OwnerRow[]; total: number }> {
  const { table, user, of, at } = relations[kind];
  const where = and(eq(of, ofId), ownerVisibleSql(viewerOf(viewer)));
  const [counted, rows] = await Promise.all([
    db.select({ value: count() }).from(table).innerJoin(owner, eq(owner.id, user)).where(where),
    db
      .select(getTableColumns(owner))
      .from(table)
      .innerJoin(owner, eq(owner.id, user))
      .where(where)
      .orderBy(desc(at), desc(owner.id))
      .limit(page.size)
      .offset(page.offset),
  ]);
  return { rows, total: counted[0]?.value ?? 0 };
}

/** Writes that one keeps the other away. The rows of both come first: what a block takes away is counted there. */
export async function insertBlock(tx: Transaction, blockerId: number, blockedId: number): Promise<void> {
  await lockOwners(tx, [blockerId, blockedId]);
  await tx.insert(block).values({ blockerId, blockedId }).onConflictDoNothing();
}

export async function removeBlock(tx: Transaction, blockerId: number, blockedId: number): Promise<void> {
  await tx.delete(block).where(and(eq(block.blockerId, blockerId), eq(block.blockedId, blockedId)));
}

export async function isBlockedBy(db: Reader, userId: number, blockerId: number): Promise<boolean> {
  const [row] = await db
    .select({ id: block.blockedId })
    .from(block)
    .where(and(eq(block.blockerId, blockerId), eq(block.blockedId, userId)));
  return row !== undefined;
}

/** A page of whom a user or organization keeps away, the newest first, and how many they are. */
export async function listBlocked(
  db: Reader,
  blockerId: number,
  page: Slice,
): Promise<{ rows: { blockedId: number; createdAt: Date }[]; total: number }> {
  const where = eq(block.blockerId, blockerId);
  const [counted, rows] = await Promise.all([
    db.select({ value: count() }).from(block).where(where),
    db
      .select({ blockedId: block.blockedId, createdAt: block.createdAt })
      .from(block)
      .where(where)
      .orderBy(desc(block.createdAt), desc(block.blockedId))
      .limit(page.size)
      .offset(page.offset),
  ]);
  return { rows, total: counted[0]?.value ?? 0 };
}

/** A page of the same as users, those whom the viewer's credential shows. */
export async function listBlockedUsers(
  db: Reader,
  viewer: Viewer,
  blockerId: number,
  page: Slice,
): Promise<{ rows: OwnerRow[]; total: number }> {
  const where = and(eq(block.blockerId, blockerId), ownerShownSql(viewerOf(viewer)));
  const [counted, rows] = await Promise.all([
    db.select({ value: count() }).from(block).innerJoin(owner, eq(owner.id, block.blockedId)).where(where),
    db
      .select(getTableColumns(owner))
      .from(block)
      .innerJoin(owner, eq(owner.id, block.blockedId))
      .where(where)
      .orderBy(desc(block.createdAt), desc(block.blockedId))
      .limit(page.size)
      .offset(page.offset),
  ]);
  return { rows, total: counted[0]?.value ?? 0 };
}

/** Whether somebody keeps a user of this name away; false too for a name that the viewer's credential does not show. */
export async function isBlockingNamed(db: Reader, viewer: Viewer, blockerId: number, name: string): Promise<boolean> {
  const [row] = await db
    .select({ id: block.blockedId })
    .from(block)
    .innerJoin(owner, eq(owner.id, block.blockedId))
    .where(
      and(eq(block.blockerId, blockerId), eq(owner.lowerName, name.toLowerCase()), ownerShownSql(viewerOf(viewer))),
    );
  return row !== undefined;
}
