import { and, asc, count, desc, eq, getTableColumns, lte, gt, sql } from "drizzle-orm";
import { ownerVisibleSql } from "../../../auth/access-sql.ts";
import type { OwnerRow } from "../../../auth/subject.ts";
import { viewerOf, type Viewer } from "../../../auth/viewer-of.ts";
import type { Reader, Transaction } from "../../../db/client.ts";
import { preparedByShape } from "../../../db/prepared-by-shape.ts";
import { owner } from "../../../db/schema/owners.ts";
import { commitStatus, commitStatusTotal, latestCommitStatus, type StatusState } from "../../../db/schema/statuses.ts";
import { combineStates } from "./combine-states.ts";

export type StatusRow = typeof commitStatus.$inferSelect;

/** A status as a viewer meets it: `creator` is null if the user is gone or the viewer may not know of them. */
export interface ShownStatus {
  status: StatusRow;
  creator: OwnerRow | null;
}

/** A commit of a repository; `oid` is hexadecimal. */
export interface StatusTarget {
  repositoryId: number;
  oid: string;
}

export interface NewStatusRow {
  context: string;
  state: StatusState;
  description: string;
  targetUrl: string;
  creatorId: number | null;
}

interface Slice {
  size: number;
  offset: number;
}

const bytesOf = (oid: string) => Buffer.from(oid, "hex");

/** How many statuses a commit has, of how many contexts, and how many of one context. */
export async function countStatuses(
  db: Reader,
  { repositoryId, oid }: StatusTarget,
  context: string,
): Promise<{ all: number; contexts: number; ofContext: number }> {
  const latest = and(eq(latestCommitStatus.repositoryId, repositoryId), eq(latestCommitStatus.oid, bytesOf(oid)));
  const [total, contexts, ofContext] = await Promise.all([
    countByState(db, { repositoryId, oid }),
    db.select({ value: count() }).from(latestCommitStatus).where(latest),
    db
      .select({ value: latestCommitStatus.count })
      .from(latestCommitStatus)
      .where(and(latest, eq(latestCommitStatus.context, context))),
  ]);
  return {
    all: sumOf(total.values()),
    contexts: contexts[0]?.value ?? 0,
    ofContext: ofContext[0]?.value ?? 0,
  };
}

/** Adds the status with this number to a commit. The caller holds the lock on the repository's row. */
export async function insertStatus(
  tx: Transaction,
  target: StatusTarget,
  index: number,
  status: NewStatusRow,
): Promise<StatusRow> {
  const { repositoryId } = target;
  const oid = bytesOf(target.oid);
  const { context, state } = status;
  // Sent together, and run in this order.
  const [rows] = await Promise.all([
    tx
      .insert(commitStatus)
      .values({ repositoryId, oid, index, ...status, createdAt: sql`clock_timestamp()` })
      .returning(),
    tx
      .insert(latestCommitStatus)
      .values({ repositoryId, oid, context, index, state, count: 1 })
      .onConflictDoUpdate({
        target: [latestCommitStatus.repositoryId, latestCommitStatus.oid, latestCommitStatus.context],
        set: { index, state, count: sql`${latestCommitStatus.count} + 1` },
      }),
    tx
      .insert(commitStatusTotal)
      .values({ repositoryId, oid, state, count: 1 })
      .onConflictDoUpdate({
        target: [commitStatusTotal.repositoryId, commitStatusTotal.oid, commitStatusTotal.state],
        set: { count: sql`${commitStatusTotal.count} + 1` },
      }),
  ]);
  const [row] = rows;
  if (row === undefined) {
    throw new Error("A status was not inserted");
  }
  return row;
}

async function countByState(db: Reader, { repositoryId, oid }: StatusTarget): Promise<Map<StatusState, number>> {
  const rows = await db
    .select({ state: commitStatusTotal.state, count: commitStatusTotal.count })
    .from(commitStatusTotal)
    .where(and(eq(commitStatusTotal.repositoryId, repositoryId), eq(commitStatusTotal.oid, bytesOf(oid))));
  return new Map(rows.map((row) => [row.state, row.count]));
}

function sumOf(numbers: Iterable<number>): number {
  return [...numbers].reduce((sum, number) => sum + number, 0);
}

/**
 * A page of a commit's statuses by their numbers, and how many there are in all, of one state or of every state. The
 * numbers have no gaps, so a page of all is a range of them, wherever it lies.
 */
export async function listStatuses(
  db: Reader,
  viewer: Viewer,
  target: StatusTarget,
  options: { state: StatusState | null; oldestFirst: boolean },
  page: Slice,
): Promise<{ rows: ShownStatus[]; total: number }> {
  const { state, oldestFirst } = options;
  const counts = await countByState(db, target);
  const total = state === null ? sumOf(counts.values()) : (counts.get(state) ?? 0);
  const { index } = commitStatus;
  const range = oldestFirst
    ? and(gt(index, page.offset), lte(index, page.offset + page.size))
    : and(lte(index, total - page.offset), gt(index, total - page.offset - page.size));
  const rows = await db
    .select({ status: getTableColumns(commitStatus), creator: getTableColumns(owner) })
    .from(commitStatus)
    .leftJoin(owner, and(eq(owner.id, commitStatus.creatorId), ownerVisibleSql(viewerOf(viewer))))
    .where(
      and(
        eq(commitStatus.repositoryId, target.repositoryId),
        eq(commitStatus.oid, bytesOf(target.oid)),
        state === null ? range : eq(commitStatus.state, state),
      ),
    )
    .orderBy(oldestFirst ? asc(index) : desc(index))
    .limit(page.size)
    .offset(state === null ? 0 : page.offset);
  return { rows, total };
}

/** A page of the newest statuses of each context of a commit, the newest first, and the states of all contexts. */
export async function listLatestStatuses(
  db: Reader,
  viewer: Viewer,
  { repositoryId, oid }: StatusTarget,
  page: Slice,
): Promise<{ rows: ShownStatus[]; total: number; states: StatusState[] }> {
  const latest = and(eq(latestCommitStatus.repositoryId, repositoryId), eq(latestCommitStatus.oid, bytesOf(oid)));
  const [counts, rows] = await Promise.all([
    db
      .select({ state: latestCommitStatus.state, count: count() })
      .from(latestCommitStatus)
      .where(latest)
      .groupBy(latestCommitStatus.state),
    db
      .select({ status: getTableColumns(commitStatus), creator: getTableColumns(owner) })
      .from(latestCommitStatus)
      .innerJoin(
        commitStatus,
        and(
          eq(commitStatus.repositoryId, latestCommitStatus.repositoryId),
          eq(commitStatus.oid, latestCommitStatus.oid),
          eq(commitStatus.index, latestCommitStatus.index),
        ),
      )
      .leftJoin(owner, and(eq(owner.id, commitStatus.creatorId), ownerVisibleSql(viewerOf(viewer))))
      .where(latest)
      .orderBy(desc(latestCommitStatus.index))
      .limit(page.size)
      .offset(page.offset),
  ]);
  return { rows, total: sumOf(counts.map((row) => row.count)), states: counts.map((row) => row.state) };
}

const statesOf = preparedByShape((db: Reader) =>
  db
    .selectDistinct({ oid: latestCommitStatus.oid, state: latestCommitStatus.state })
    .from(latestCommitStatus)
    .where(
      and(
        eq(latestCommitStatus.repositoryId, sql.placeholder("repositoryId")),
        // postgres.js prepares no array parameters of unknown type.
        sql`${latestCommitStatus.oid} in (select decode(hex, 'hex') from unnest(string_to_array(${sql.placeholder("oids")}::text, ' ')) hex)`,
      ),
    )
    .prepare("states_of_commits"),
);

/** The states of those of these commits that have statuses, each from those of its contexts; by oid. */
export async function findCombinedStates(
  db: Reader,
  repositoryId: number,
  oids: readonly string[],
): Promise<Map<string, StatusState>> {
  const rows = oids.length === 0 ? [] : await statesOf(db, null).execute({ repositoryId, oids: oids.join(" ") });
  const byCommit = Map.groupBy(rows, ({ oid }) => Buffer.from(oid).toString("hex"));
  return new Map([...byCommit].map(([oid, states]) => [oid, combineStates(states.map(({ state }) => state))]));
}
