import { and, asc, count, eq, inArray, isNotNull, isNull, sql, type SQL } from "drizzle-orm";
import type { Reader, Transaction } from "../../../db/client.ts";
import { hook, hookDelivery, hookEvent } from "../../../db/schema/hooks.ts";
import { lockHooks, makeDue } from "./sending-queries.ts";

export type HookEventRow = typeof hookEvent.$inferSelect;

const nextOwner = (after: SQL) => sql`(select ${hookEvent.ownerId} from ${hookEvent}
  where ${hookEvent.makeAt} is not null and ${after} order by ${hookEvent.ownerId} limit 1)`;

/** Events whose payload is to be made now: of each owner the oldest, by turns. */
export async function unmadeEvents(db: Reader, limit: number): Promise<HookEventRow[]> {
  const found = await db.execute<{ id: string }>(sql`
    with recursive owners as (
      select ${nextOwner(sql`true`)} as id
      union all
      select ${nextOwner(sql`${hookEvent.ownerId} > owners.id`)} from owners where owners.id is not null)
    select first.id from owners cross join lateral (
      select one.id, row_number() over (order by one.id) as place from (
        select ${hookEvent.id} as id from ${hookEvent}
        where ${hookEvent.ownerId} = owners.id and ${hookEvent.makeAt} <= now() order by ${hookEvent.id} limit ${limit}) one) first
    order by first.place, first.id limit ${limit}`);
  const ids = found.map(({ id }) => Number(id));
  const rows = await db.select().from(hookEvent).where(inArray(hookEvent.id, ids));
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Milliseconds until a payload is to be made, perhaps again; null: all are made, or failed for good. */
export async function untilNextMaking(db: Reader): Promise<number | null> {
  const [row] = await db
    .select({ ms: sql<number | null>`(extract(epoch from min(${hookEvent.makeAt}) - now()) * 1000)::float8` })
    .from(hookEvent)
    .where(isNotNull(hookEvent.makeAt));
  return row?.ms ?? null;
}

/** How many payloads failed for good: hooks were not told of these events. */
export async function countFailedPayloads(db: Reader): Promise<number> {
  const [row] = await db
    .select({ failed: count() })
    .from(hookEvent)
    .where(and(isNull(hookEvent.makeAt), isNotNull(hookEvent.source)));
  return row?.failed ?? 0;
}

/** The result of making a payload: the payload, nothing to tell, or a fault. After a fault it is made again in `restMs`; null: never. */
export type MadePayload =
  | { readonly id: number; readonly outcome: "made"; readonly payload: string }
  | { readonly id: number; readonly outcome: "nothing" }
  | { readonly id: number; readonly outcome: "failed"; readonly restMs: number | null };

const unmadeFailure =
  "The server could not make what it was to send; its log says why. Have it delivered again when that is mended";

/**
 * Stores what came of making payloads. Only an event of which there is nothing to tell is removed; one whose payload failed for good stays,
 * with dead deliveries. The hooks that waited for them go on.
 */
export async function storePayloads(tx: Transaction, made: readonly MadePayload[]): Promise<void> {
  await insertDeliveries(
    tx,
    made.filter(({ outcome }) => outcome !== "nothing").map(({ id }) => id),
  );
  const ended: number[] = [];
  for (const one of made) {
    const isOne = eq(hookEvent.id, one.id);
    if (one.outcome === "made") {
      await tx.update(hookEvent).set({ payload: one.payload, source: null, makeAt: null }).where(isOne);
    } else if (one.outcome === "failed") {
      const makeAt = one.restMs === null ? null : sql`now() + make_interval(secs => ${one.restMs / 1000}::float8)`;
      await tx
        .update(hookEvent)
        .set({ makeAt, failures: sql`${hookEvent.failures} + 1` })
        .where(isOne);
    }
    if (one.outcome !== "failed" || one.restMs === null) {
      ended.push(one.id);
    }
  }
  const waiting = await tx
    .selectDistinct({ id: hookDelivery.hookId })
    .from(hookDelivery)
    .where(inArray(hookDelivery.eventId, ended));
  const hookIds = waiting.map((row) => row.id);
  await lockHooks(tx, hookIds);
  for (const one of made) {
    if (one.outcome === "nothing") {
      await tx.delete(hookEvent).where(eq(hookEvent.id, one.id));
    } else if (one.outcome === "failed" && one.restMs === null) {
      await tx
        .update(hookDelivery)
        .set({ state: "dead", failure: unmadeFailure })
        .where(and(eq(hookDelivery.eventId, one.id), eq(hookDelivery.state, "waiting")));
    }
  }
  await makeDue(tx, hookIds);
}

/**
 * Makes the deliveries of events that have none yet, in the order of the events. A hook that was switched off meanwhile gets none but that
 * of a test.
 */
async function insertDeliveries(tx: Transaction, eventIds: readonly number[]): Promise<void> {
  const events = await tx
    .select({ id: hookEvent.id, hookIds: hookEvent.hookIds })
    .from(hookEvent)
    .where(and(inArray(hookEvent.id, [...eventIds]), isNotNull(hookEvent.hookIds)))
    .orderBy(asc(hookEvent.id))
    .for("update");
  if (events.length === 0) {
    return;
  }
  await lockHooks(tx, [...new Set(events.flatMap(({ hookIds }) => hookIds ?? []))]);
  const ids = sql.param(events.map(({ id }) => id));
  await tx.execute(sql`
    insert into ${hookDelivery} (uuid, hook_id, event_id)
    select gen_random_uuid(), ${hook.id}, ${hookEvent.id}
    from ${hookEvent} cross join lateral unnest(${hookEvent.hookIds}) with ordinality as told (id, place)
      join ${hook} on ${hook.id} = told.id
    where ${hookEvent.id} = any(${ids}::bigint[]) and (${hook.active} or ${hookEvent.source} ->> 'kind' = 'hook.tested')
    order by ${hookEvent.id}, told.place`);
  await tx
    .update(hookEvent)
    .set({ hookIds: null })
    .where(sql`${hookEvent.id} = any(${ids}::bigint[])`);
}
