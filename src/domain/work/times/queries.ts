import { and, asc, count, desc, eq, gte, inArray, lt, sql, type SQL } from "drizzle-orm";
import { discussionVisibleSql, unitVisibleSql } from "../../../auth/access-sql.ts";
import { viewerOf, type Viewer } from "../../../auth/viewer-of.ts";
import type { Reader, Transaction } from "../../../db/client.ts";
import { preparedByShape } from "../../../db/prepared-by-shape.ts";
import { issue, issueAssignee } from "../../../db/schema/issues.ts";
import { account, owner, type Unit } from "../../../db/schema/owners.ts";
import { repository } from "../../../db/schema/repositories.ts";
import { trackedTime } from "../../../db/schema/times.ts";
import type { NamedOwner } from "../../spine/events/names.ts";
import { issueColumns, type IssueRow } from "../issues/queries.ts";

export type TrackedTimeRow = typeof trackedTime.$inferSelect;

/** The users or issues whose times a list has. */
export type TimeList =
  | { readonly issueId: number }
  /** `kinds`: whether pull requests, of each kind of which there may be some. */
  | { readonly repositoryId: number; readonly kinds: readonly boolean[] }
  /** In all repositories, of what the viewer may read. */
  | { readonly viewer: Viewer };

/** Filters a list to times that were spent at `since` or later, and before `before`. */
export interface TimeFilter {
  userId?: number | undefined;
  since?: Date | undefined;
  before?: Date | undefined;
}

export async function isAssignee(tx: Transaction, issueId: number, userId: number): Promise<boolean> {
  const rows = await tx
    .select({ found: sql`1` })
    .from(issueAssignee)
    .where(and(eq(issueAssignee.issueId, issueId), eq(issueAssignee.userId, userId)));
  return rows.length > 0;
}

/** The user of this name who may read this unit of a repository; null when there is none. */
export async function findReader(
  tx: Transaction,
  repositoryId: number,
  unit: Unit & ("issues" | "pulls"),
  name: string,
): Promise<NamedOwner | null> {
  const reader = {
    id: sql`${account.ownerId}`,
    isAdmin: sql`${account.isAdmin}`,
    restricted: sql`${account.restricted}`,
  };
  const [row] = await tx.execute<{ id: string; name: string }>(sql`
    select named.id, named.name
    from (select ${owner.id}, ${owner.name} from ${owner} where ${owner.lowerName} = ${name.toLowerCase()}) named
      join ${account} on ${account.ownerId} = named.id
      join ${repository} on ${repository.id} = ${repositoryId}
      join ${owner} on ${owner.id} = ${repository.ownerId}
    where ${account.active} and not ${account.suspended} and ${unitVisibleSql(reader, unit)}`);
  return row === undefined ? null : { id: Number(row.id), name: row.name };
}

export async function insertTime(
  tx: Transaction,
  columns: Omit<typeof trackedTime.$inferInsert, "id">,
): Promise<TrackedTimeRow> {
  const [row] = await tx.insert(trackedTime).values(columns).returning();
  if (row === undefined) {
    throw new Error("An insert returned no row");
  }
  return row;
}

export async function findTime(tx: Transaction, issueId: number, id: number): Promise<TrackedTimeRow | null> {
  const [row] = await tx
    .select()
    .from(trackedTime)
    .where(and(eq(trackedTime.id, id), eq(trackedTime.issueId, issueId)));
  return row ?? null;
}

export async function removeTime(tx: Transaction, id: number): Promise<void> {
  await tx.delete(trackedTime).where(eq(trackedTime.id, id));
}

/** Deletes what a user spent on an issue, and returns how much that was, in seconds. */
export async function removeTimesOf(tx: Transaction, issueId: number, userId: number): Promise<number> {
  const rows = await tx
    .delete(trackedTime)
    .where(and(eq(trackedTime.issueId, issueId), eq(trackedTime.userId, userId)))
    .returning({ seconds: trackedTime.seconds });
  return rows.reduce((sum, { seconds }) => sum + seconds, 0);
}

/**
 * The condition of a list, without a join: with one the planner would read all issues, since it does not know how short
 * a page is.
 */
function placed(list: TimeList): SQL | undefined {
  if ("issueId" in list) {
    return eq(trackedTime.issueId, list.issueId);
  }
  if ("repositoryId" in list) {
    const isPull = sql`(select ${issue.isPull} from ${issue} where ${issue.id} = ${trackedTime.issueId})`;
    return and(
      eq(trackedTime.repositoryId, list.repositoryId),
      list.kinds.length === 2 ? undefined : inArray(isPull, [...list.kinds]),
    );
  }
  const seen = viewerOf(list.viewer);
  return sql`exists (select 1 from ${issue} join ${repository} on ${repository.id} = ${issue.repositoryId}
      join ${owner} on ${owner.id} = ${repository.ownerId}
    where ${issue.id} = ${trackedTime.issueId} and ${discussionVisibleSql(seen, issue.isPull)})`;
}

/** A page of tracked times with their issues, the oldest first, and how many there are. */
export async function listTimes(
  db: Reader,
  list: TimeList,
  { userId, since, before }: TimeFilter,
  page: { size: number; offset: number },
): Promise<{ rows: { time: TrackedTimeRow; issue: IssueRow }[]; total: number }> {
  const where = and(
    placed(list),
    userId === undefined ? undefined : eq(trackedTime.userId, userId),
    since === undefined ? undefined : gte(trackedTime.createdAt, since),
    before === undefined ? undefined : lt(trackedTime.createdAt, before),
  );
  const ofPage = db
    .select({ id: trackedTime.id })
    .from(trackedTime)
    .where(where)
    .orderBy(asc(trackedTime.createdAt), asc(trackedTime.id))
    .limit(page.size)
    .offset(page.offset);
  const [rows, [counted]] = await Promise.all([
    db
      .select({ time: trackedTime, issue: issueColumns })
      .from(trackedTime)
      .innerJoin(issue, eq(issue.id, trackedTime.issueId))
      .where(sql`${trackedTime.id} = any(array${ofPage})`)
      .orderBy(asc(trackedTime.createdAt), asc(trackedTime.id)),
    db.select({ total: count() }).from(trackedTime).where(where),
  ]);
  return { rows, total: counted?.total ?? 0 };
}

/** The latest times that were spent on an issue, with all that were. */
export interface SpentTimes {
  readonly seconds: number;
  readonly count: number;
  readonly latest: readonly {
    id: number;
    userId: number | null;
    name: string | null;
    seconds: number;
    createdAt: Date;
  }[];
}

const shownTimes = 20;

const spentOf = preparedByShape((db: Reader) => {
  const onlyId = sql`${sql.placeholder("onlyId")}::bigint`;
  return db
    .select({
      id: trackedTime.id,
      userId: trackedTime.userId,
      name: owner.name,
      seconds: trackedTime.seconds,
      createdAt: trackedTime.createdAt,
      total: sql<string>`sum(${trackedTime.seconds}) over ()`,
      count: sql<string>`count(*) over ()`,
    })
    .from(trackedTime)
    .leftJoin(owner, eq(owner.id, trackedTime.userId))
    .where(
      and(
        eq(trackedTime.issueId, sql.placeholder("issueId")),
        sql`(${onlyId} is null or ${trackedTime.userId} = ${onlyId})`,
      ),
    )
    .orderBy(desc(trackedTime.createdAt), desc(trackedTime.id))
    .limit(shownTimes)
    .prepare("spent_times");
});

/** What was spent on an issue. `onlyId`: by this user; null: by everybody. */
export async function findSpent(db: Reader, issueId: number, onlyId: number | null): Promise<SpentTimes> {
  const rows = await spentOf(db, null).execute({ issueId, onlyId });
  const [first] = rows;
  return { seconds: Number(first?.total ?? 0), count: Number(first?.count ?? 0), latest: rows };
}

/** The tracked times of these ids. */
export async function findTimes(db: Reader, ids: readonly number[]): Promise<TrackedTimeRow[]> {
  return ids.length === 0
    ? []
    : db
        .select()
        .from(trackedTime)
        .where(inArray(trackedTime.id, [...ids]));
}
