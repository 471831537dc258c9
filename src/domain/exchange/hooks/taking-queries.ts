import { and, asc, inArray, isNotNull, isNull, or, sql } from "drizzle-orm";
import type { Reader, Transaction } from "../../../db/client.ts";
import { hook, hookDelivery, hookEvent } from "../../../db/schema/hooks.ts";
import type { HookEventRow } from "./making-queries.ts";
import { type DeliveryRow, lockHooks, makeDue } from "./sending-queries.ts";
import type { HookRow } from "./queries.ts";

export type NewHookEvent = Pick<
  HookEventRow,
  "type" | "action" | "repositoryId" | "ownerId" | "at" | "source" | "hookIds"
>;

/** A hook, as far as it decides whether it hears of something. */
export type ListeningHook = Pick<HookRow, "id" | "repositoryId" | "ownerId" | "events" | "branchFilter" | "createdAt">;

/** Whether there is any hook: where there is none, nobody needs to look what happened. */
export async function hasHooks(db: Reader): Promise<boolean> {
  const rows = await db.select({ id: hook.id }).from(hook).limit(1);
  return rows.length > 0;
}

/** The active hooks of these repositories and owners, and those of the instance that hear of everything. */
export async function hooksHearing(
  tx: Transaction,
  { repositoryIds, ownerIds }: { repositoryIds: readonly number[]; ownerIds: readonly number[] },
): Promise<ListeningHook[]> {
  return tx
    .select({
      id: hook.id,
      repositoryId: hook.repositoryId,
      ownerId: hook.ownerId,
      events: hook.events,
      branchFilter: hook.branchFilter,
      createdAt: hook.createdAt,
    })
    .from(hook)
    .where(
      and(
        hook.active,
        or(
          inArray(hook.repositoryId, [...repositoryIds]),
          inArray(hook.ownerId, [...ownerIds]),
          and(hook.system, isNull(hook.repositoryId), isNull(hook.ownerId)),
        ),
      ),
    )
    .orderBy(asc(hook.id));
}

/** A statement has at most 65,535 parameters. */
const rowsAtOnce = 1000;

function* parts<Row>(rows: readonly Row[]): Generator<Row[]> {
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    yield rows.slice(at, at + rowsAtOnce);
  }
}

/** Inserts events, in the order given. Their payloads and deliveries are made later. */
export async function insertHookEvents(tx: Transaction, events: readonly NewHookEvent[]): Promise<void> {
  for (const some of parts(events)) {
    await tx.insert(hookEvent).values(some.map((event) => Object.assign({ makeAt: sql`now()` }, event)));
  }
}

type DeliveryColumns = Pick<DeliveryRow, "hookId" | "eventId" | "uuid" | "redelivery">;

/** Deliveries that were asked for again, as new ones of the same events. Those that wait anyway are not sent twice. */
export async function findRedelivered(tx: Transaction, ids: readonly number[]): Promise<DeliveryColumns[]> {
  if (ids.length === 0) {
    return [];
  }
  const rows = await tx
    .select({
      id: hookDelivery.id,
      hookId: hookDelivery.hookId,
      eventId: hookDelivery.eventId,
      uuid: hookDelivery.uuid,
    })
    .from(hookDelivery)
    .where(and(inArray(hookDelivery.id, [...ids]), sql`${hookDelivery.state} <> 'waiting'`));
  const byId = new Map(rows.map(({ id, ...rest }) => [id, { ...rest, redelivery: true }]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Puts deliveries that were asked for again behind those that wait for the same hooks. */
export async function insertRedeliveries(tx: Transaction, again: readonly DeliveryColumns[]): Promise<void> {
  const hookIds = again.map(({ hookId }) => hookId);
  // Their hooks may be gone since they were looked for: the rows that are there are held.
  const held = await lockHooks(tx, hookIds);
  for (const some of parts(again.filter(({ hookId }) => held.has(hookId)))) {
    await tx.insert(hookDelivery).values(some);
  }
  await makeAgain(
    tx,
    again.map(({ eventId }) => eventId),
  );
  await makeDue(tx, hookIds);
}

/** Has payloads made that failed for good, as if that had never been tried. */
async function makeAgain(tx: Transaction, eventIds: readonly number[]): Promise<void> {
  if (eventIds.length > 0) {
    await tx
      .update(hookEvent)
      .set({ makeAt: sql`now()`, failures: 0 })
      .where(and(inArray(hookEvent.id, [...eventIds]), isNotNull(hookEvent.source), isNull(hookEvent.makeAt)));
  }
}
