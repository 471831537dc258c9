import { and, eq, getTableColumns, sql, type SQL } from "drizzle-orm";
import type { Reader, Transaction } from "../../../db/client.ts";
import { preparedByShape } from "../../../db/prepared-by-shape.ts";
import { issueDependency } from "../../../db/schema/issues.ts";
import { pull, pullAutoMerge } from "../../../db/schema/pulls.ts";
import { issue } from "../../../db/schema/issues.ts";

/** A merge that waits for its checks. Its head is hexadecimal. */
export type ScheduledMerge = Omit<typeof pullAutoMerge.$inferSelect, "headOid"> & { headOid: string };

const scheduledColumns = {
  ...getTableColumns(pullAutoMerge),
  headOid: sql<string>`encode(${pullAutoMerge.headOid}, 'hex')`,
};

/** Inserts the merge that a pull request waits for. Returns false if it waits for one already. */
export async function insertScheduled(
  tx: Transaction,
  { headOid, ...columns }: Omit<typeof pullAutoMerge.$inferInsert, "createdAt" | "headOid"> & { headOid: string },
): Promise<boolean> {
  const rows = await tx
    .insert(pullAutoMerge)
    .values({ ...columns, headOid: Buffer.from(headOid, "hex") })
    .onConflictDoNothing()
    .returning({ pullId: pullAutoMerge.pullId });
  return rows.length > 0;
}

const scheduledOf = preparedByShape((db: Reader) =>
  db
    .select(scheduledColumns)
    .from(pullAutoMerge)
    .where(eq(pullAutoMerge.pullId, sql.placeholder("pullId")))
    .prepare("scheduled_merge"),
);

/** The merge that a pull request waits for; null when there is none. */
export async function findScheduled(db: Reader, pullId: number): Promise<ScheduledMerge | null> {
  const [row] = await scheduledOf(db, null).execute({ pullId });
  return row ?? null;
}

/** Where a merge that waits belongs: its base repository, and its number there; null when nothing waits. */
export async function findScheduledPull(
  db: Reader,
  pullId: number,
): Promise<(ScheduledMerge & { repositoryId: number; number: number }) | null> {
  const [row] = await db
    .select({ scheduled: scheduledColumns, repositoryId: issue.repositoryId, number: issue.number })
    .from(pullAutoMerge)
    .innerJoin(issue, eq(issue.id, pullAutoMerge.pullId))
    .where(eq(pullAutoMerge.pullId, pullId));
  return row === undefined ? null : { ...row.scheduled, repositoryId: row.repositoryId, number: row.number };
}

/** Has the merge that a pull request waits for be one of another head. */
export async function setScheduledHead(tx: Transaction, pullId: number, headOid: string): Promise<void> {
  await tx
    .update(pullAutoMerge)
    .set({ headOid: Buffer.from(headOid, "hex") })
    .where(eq(pullAutoMerge.pullId, pullId));
}

/** Ends the wait of a pull request. Returns what it waited for; null for nothing. */
export async function removeScheduled(tx: Transaction, pullId: number): Promise<ScheduledMerge | null> {
  const [row] = await tx.delete(pullAutoMerge).where(eq(pullAutoMerge.pullId, pullId)).returning(scheduledColumns);
  return row ?? null;
}

/** Which pull requests wait for a merge and are meant. */
export type Waiting =
  | { readonly pullId: number }
  /** A commit got a status. The oid is hexadecimal. */
  | { readonly repositoryId: number; readonly headOid: string }
  /** The rules of a repository changed. */
  | { readonly repositoryId: number }
  /** An issue that they depend on was closed. */
  | { readonly dependOn: number };

/** Pull requests that wait for a merge. */
export async function listWaiting(db: Reader, which: Waiting): Promise<number[]> {
  const rows = await db
    .select({ pullId: pullAutoMerge.pullId })
    .from(pullAutoMerge)
    .innerJoin(pull, eq(pull.issueId, pullAutoMerge.pullId))
    .where(conditionOf(which));
  return rows.map(({ pullId }) => pullId);
}

function conditionOf(which: Waiting): SQL | undefined {
  if ("pullId" in which) {
    return eq(pullAutoMerge.pullId, which.pullId);
  }
  if ("dependOn" in which) {
    return sql`exists (select 1 from ${issueDependency} where ${issueDependency.issueId} = ${pull.issueId}
      and ${issueDependency.dependsOnId} = ${which.dependOn})`;
  }
  return "headOid" in which
    ? and(eq(pull.baseRepositoryId, which.repositoryId), eq(pull.headOid, Buffer.from(which.headOid, "hex")), pull.open)
    : eq(pull.baseRepositoryId, which.repositoryId);
}
