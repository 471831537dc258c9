import { and, asc, eq, gt, inArray, notInArray, sql, type SQL } from "drizzle-orm";
import type { Reader, Transaction } from "../../../db/client.ts";
import { outbox, outboxReceiver } from "../../../db/schema/outbox.ts";

export type OutboxRow = typeof outbox.$inferSelect;
export type NewOutboxRow = Pick<typeof outbox.$inferInsert, "doer" | "ownerId" | "repositoryId" | "kind" | "payload">;

export async function insertOutboxRows(tx: Transaction, rows: readonly NewOutboxRow[]): Promise<void> {
  await tx.insert(outbox).values([...rows]);
}

/** Whether a row is not in the snapshot of a receiver. The first condition lets the index find the few that may not be. */
const isNew = sql`(${outbox.transaction} >= pg_snapshot_xmin(${outboxReceiver.taken})
  and not pg_visible_in_snapshot(${outbox.transaction}, ${outboxReceiver.taken}))`;
const isBegun = sql`(${outboxReceiver.taking} is not null and ${outbox.id} <= ${outboxReceiver.takenId}
  and pg_visible_in_snapshot(${outbox.transaction}, ${outboxReceiver.taking}))`;

/** Notes receivers that are new: what was told before is not for them. */
export async function insertReceivers(tx: Transaction, names: readonly string[]): Promise<void> {
  if (names.length > 0) {
    await tx
      .insert(outboxReceiver)
      .values(names.map((name) => ({ name, taken: sql`pg_current_snapshot()` })))
      .onConflictDoNothing();
  }
}

/** Removes receivers that there are no more, so that nothing is kept for them. */
export async function deleteOtherReceivers(tx: Transaction, names: readonly string[]): Promise<void> {
  await tx.delete(outboxReceiver).where(names.length === 0 ? undefined : notInArray(outboxReceiver.name, [...names]));
}

/**
 * Locks a receiver's place and returns the next rows that it has not taken, in their order, at most so many; null when
 * there is no such receiver. `placeTaken` has to follow in the same transaction.
 */
export async function takeOutboxRows(tx: Transaction, name: string, limit: number): Promise<OutboxRow[] | null> {
  const [place] = await tx
    .update(outboxReceiver)
    .set({ taking: sql`coalesce(${outboxReceiver.taking}, pg_current_snapshot())` })
    .where(eq(outboxReceiver.name, name))
    .returning({ takenId: outboxReceiver.takenId });
  if (place === undefined) {
    return null;
  }
  const rows = await tx
    .select({ row: outbox })
    .from(outbox)
    .innerJoin(outboxReceiver, eq(outboxReceiver.name, name))
    .where(
      and(
        isNew,
        sql`pg_visible_in_snapshot(${outbox.transaction}, ${outboxReceiver.taking})`,
        gt(outbox.id, place.takenId),
      ),
    )
    .orderBy(asc(outbox.id))
    .limit(limit);
  return rows.map(({ row }) => row);
}

/** Notes that a receiver took the rows up to this id; null: all that there were. */
export async function placeTaken(tx: Transaction, name: string, lastId: number | null): Promise<void> {
  await tx
    .update(outboxReceiver)
    .set(lastId === null ? { taken: sql`${outboxReceiver.taking}`, taking: null, takenId: 0 } : { takenId: lastId })
    .where(eq(outboxReceiver.name, name));
}

/** Whether a receiver of these names has yet to take the row. */
const isAwaited = (names: readonly string[]): SQL =>
  names.length === 0
    ? sql`false`
    : sql`exists (select 1 from ${outboxReceiver} where ${inArray(outboxReceiver.name, [...names])} and ${isNew} and not ${isBegun})`;

/** Whether there is a row that one of these receivers has yet to take. */
export async function hasAwaitedRow(db: Reader, names: readonly string[]): Promise<boolean> {
  const [row] =
    names.length === 0 ? [] : await db.select({ id: outbox.id }).from(outbox).where(isAwaited(names)).limit(1);
  return row !== undefined;
}

/** Removes rows that none of these receivers awaits, or that are older, at most so many; returns how many. */
export async function deleteOutboxRows(
  tx: Transaction,
  names: readonly string[],
  olderThanDays: number,
  limit: number,
): Promise<number> {
  const old = sql`${outbox.at} < now() - make_interval(days => ${olderThanDays}::integer)`;
  const gone = tx
    .select({ id: outbox.id })
    .from(outbox)
    .where(sql`(${old} or not ${isAwaited(names)})`)
    .orderBy(asc(outbox.id))
    .limit(limit)
    .for("update", { skipLocked: true });
  return (await tx.delete(outbox).where(inArray(outbox.id, gone)).returning({ id: outbox.id })).length;
}

/**
 * Gives rows of another database cluster, whose transactions have not been here yet, this transaction's id, and begins
 * anew for receivers that have read further than there is; see README.md.
 */
export async function adoptOutboxRows(tx: Transaction): Promise<void> {
  const end = sql`pg_snapshot_xmax(pg_current_snapshot())`;
  await tx
    .update(outbox)
    .set({ transaction: sql`pg_current_xact_id()` })
    .where(sql`${outbox.transaction} >= ${end}`);
  await tx
    .update(outboxReceiver)
    .set({ taken: sql`pg_current_snapshot()`, taking: null, takenId: 0 })
    .where(sql`pg_snapshot_xmax(${outboxReceiver.taken}) > ${end}`);
}
