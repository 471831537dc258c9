import { and, asc, count, eq, inArray, isNotNull, sql } from "drizzle-orm";
import type { Reader, Transaction } from "../../../db/client.ts";
import { issue } from "../../../db/schema/issues.ts";
import { issueColumns, type IssueRow } from "./queries.ts";

const pinnedOf = (repositoryId: number, isPull: boolean) =>
  and(eq(issue.repositoryId, repositoryId), eq(issue.isPull, isPull), isNotNull(issue.pinOrder));

/** The pinned issues, or pull requests, of a repository in their order. */
export async function listPinned(db: Reader, repositoryId: number, isPull: boolean): Promise<IssueRow[]> {
  return db.select(issueColumns).from(issue).where(pinnedOf(repositoryId, isPull)).orderBy(asc(issue.pinOrder));
}

export async function listPinnedIds(tx: Transaction, repositoryId: number, isPull: boolean): Promise<number[]> {
  const rows = await tx
    .select({ id: issue.id })
    .from(issue)
    .where(pinnedOf(repositoryId, isPull))
    .orderBy(asc(issue.pinOrder));
  return rows.map(({ id }) => id);
}

/** Gives pinned issues the places 1, 2, 3 and so on. No two have one place at any moment. */
export async function orderPins(tx: Transaction, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) {
    await tx
      .update(issue)
      .set({ pinOrder: sql`-${issue.pinOrder}` })
      .where(inArray(issue.id, [...ids]));
    await tx
      .update(issue)
      .set({ pinOrder: sql`array_position(${sql.param([...ids])}::bigint[], ${issue.id})` })
      .where(inArray(issue.id, [...ids]));
  }
}

/** How many issues and how many pull requests of a repository are pinned. */
export async function countPinned(db: Reader, repositoryId: number): Promise<{ issues: number; pulls: number }> {
  const rows = await db
    .select({ isPull: issue.isPull, pinned: count() })
    .from(issue)
    .where(and(eq(issue.repositoryId, repositoryId), isNotNull(issue.pinOrder)))
    .groupBy(issue.isPull);
  const of = (isPull: boolean) => rows.find((row) => row.isPull === isPull)?.pinned ?? 0;
  return { issues: of(false), pulls: of(true) };
}
