import { and, asc, count, desc, eq, inArray, isNull, isNotNull, lte, or, sql, type SQL } from "drizzle-orm";
import type { Credential } from "../../auth/subject.ts";
import { viewerOf } from "../../auth/viewer-of.ts";
import type { Reader, Transaction } from "../../db/client.ts";
import { accessTokenRepository } from "../../db/schema/credentials.ts";
import { hook, hookDelivery, hookEvent } from "../../db/schema/hooks.ts";
import { repository } from "../../db/schema/repositories.ts";
import type { HookRow } from "./queries.ts";

export type DeliveryRow = typeof hookDelivery.$inferSelect;
export type HookEventRow = typeof hookEvent.$inferSelect;
export type NewHookEvent = Pick<
  HookEventRow,
  "type" | "action" | "repositoryId" | "ownerId" | "at" | "source" | "hookIds"
>;

/** A hook, as far as it decides whether it hears of something. */
export type ListeningHook = Pick<HookRow, "id" | "repositoryId" | "ownerId" | "events" | "branchFilter" | "createdAt">;

/** A delivery with what it is of. */
export interface FoundDelivery {
  delivery: DeliveryRow;
  event: Pick<HookEventRow, keyof typeof shownOfEvent>;
}

/** A delivery with what it sent, too. */
export interface WholeDelivery extends FoundDelivery {
  payload: string | null;
}

const shownOfEvent = {
  id: hookEvent.id,
  type: hookEvent.type,
  action: hookEvent.action,
  repositoryId: hookEvent.repositoryId,
  at: hookEvent.at,
};

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

/** Has payloads made that failed for good, as if that had never been tried. */
async function makeAgain(tx: Transaction, eventIds: readonly number[]): Promise<void> {
  if (eventIds.length > 0) {
    await tx
      .update(hookEvent)
      .set({ makeAt: sql`now()`, failures: 0 })
      .where(and(inArray(hookEvent.id, [...eventIds]), isNotNull(hookEvent.source), isNull(hookEvent.makeAt)));
  }
}

/** Locks hooks until this transaction ends; returns the ids of those that are there. */
async function lockHooks(tx: Transaction, ids: readonly number[]): Promise<Set<number>> {
  const rows = await tx
    .select({ id: hook.id })
    .from(hook)
    .where(sql`${hook.id} = any(${sql.param([...ids])}::bigint[])`)
    .orderBy(asc(hook.id))
    .for("no key update");
  return new Set(rows.map(({ id }) => id));
}

/** Hooks that nothing was due for go on now. */
async function makeDue(tx: Transaction, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) {
    await tx
      .update(hook)
      .set({ nextAt: sql`now()` })
      .where(and(sql`${hook.id} = any(${sql.param([...ids])}::bigint[])`, isNull(hook.nextAt)));
  }
}

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

/** What waits for a hook is not sent any more. */
export async function failWaitingDeliveries(tx: Transaction, hookId: number, failure: string): Promise<void> {
  await tx
    .update(hookDelivery)
    .set({ state: "dead", failure })
    .where(and(eq(hookDelivery.hookId, hookId), eq(hookDelivery.state, "waiting")));
}

/** Of what a token for single repositories hears: events of those. */
function heardWith({ credential }: { credential: Credential }): SQL | undefined {
  const { restrictedTokenId } = viewerOf({ actor: null, credential });
  return restrictedTokenId === undefined
    ? undefined
    : sql`exists (select 1 from ${accessTokenRepository}
        where ${accessTokenRepository.tokenId} = ${restrictedTokenId} and ${accessTokenRepository.repositoryId} = ${hookEvent.repositoryId})`;
}

/** A page of a hook's deliveries that the reader's credential shows, the newest first, and how many there are. */
export async function listDeliveries(
  db: Reader,
  reader: { credential: Credential },
  hookId: number,
  page: { size: number; offset: number },
): Promise<{ rows: FoundDelivery[]; total: number }> {
  const of = and(eq(hookDelivery.hookId, hookId), heardWith(reader));
  const [rows, [counted]] = await Promise.all([
    db
      .select({ delivery: hookDelivery, event: shownOfEvent })
      .from(hookDelivery)
      .innerJoin(hookEvent, eq(hookEvent.id, hookDelivery.eventId))
      .where(of)
      .orderBy(desc(hookDelivery.id))
      .limit(page.size)
      .offset(page.offset),
    db
      .select({ total: count() })
      .from(hookDelivery)
      .innerJoin(hookEvent, eq(hookEvent.id, hookDelivery.eventId))
      .where(of),
  ]);
  return { rows, total: counted?.total ?? 0 };
}

/** A delivery of a hook; null when it has none of the id, or the reader's credential does not show it. */
export async function findDelivery(
  db: Reader,
  reader: { credential: Credential },
  hookId: number,
  id: number,
): Promise<WholeDelivery | null> {
  const [row] = await db
    .select({ delivery: hookDelivery, event: shownOfEvent, payload: hookEvent.payload })
    .from(hookDelivery)
    .innerJoin(hookEvent, eq(hookEvent.id, hookDelivery.eventId))
    .where(and(eq(hookDelivery.hookId, hookId), eq(hookDelivery.id, id), heardWith(reader)));
  return row ?? null;
}

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

/** What came of making a payload: it, that there is nothing to tell, or a fault, after which it is made again in `restMs`; null: never. */
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

/** Whether webhooks are about to be told something; those that fail, and come again later, are left out. */
export async function hasPendingDeliveries(db: Reader): Promise<boolean> {
  const [unmade, due] = await Promise.all([
    db
      .select({ id: hookEvent.id })
      .from(hookEvent)
      .where(and(isNotNull(hookEvent.makeAt), eq(hookEvent.failures, 0)))
      .limit(1),
    db
      .select({ id: hook.id })
      .from(hook)
      .where(and(isNotNull(hook.nextAt), isNull(hook.failingSince)))
      .limit(1),
  ]);
  return unmade.length + due.length > 0;
}

/** A hook with a delivery that is due. */
export interface DueHook {
  readonly id: number;
  readonly url: string;
  readonly failing: boolean;
  /** Whose it is, or whose its repository is; 0: the server's, or of what is gone. */
  readonly ownerId: number;
}

const isOther = (busy: readonly number[]) =>
  busy.length === 0 ? undefined : sql`${hook.id} <> all(${sql.param([...busy])}::bigint[])`;

/**
 * Hooks with a delivery that is due, none of those that are named: those that fail behind the others, first of each owner the longest due, then
 * of each a second one, and so on.
 */
export async function dueHooks(db: Reader, busy: readonly number[], limit: number): Promise<DueHook[]> {
  const failing = sql<boolean>`(${hook.failingSince} is not null)`;
  const ownerId = sql<number>`coalesce(${repository.ownerId}, ${hook.ownerId}, 0)::float8`;
  const due = db
    .select({
      id: hook.id,
      url: hook.url,
      failing: failing.as("failing"),
      ownerId: ownerId.as("of_owner"),
      nextAt: hook.nextAt,
      place:
        sql<number>`row_number() over (partition by ${ownerId}, ${failing} order by ${hook.nextAt}, ${hook.id})`.as(
          "place",
        ),
    })
    .from(hook)
    .leftJoin(repository, eq(repository.id, hook.repositoryId))
    .where(and(lte(hook.nextAt, sql`now()`), isOther(busy)))
    .as("due");
  return db
    .select({ id: due.id, url: due.url, failing: due.failing, ownerId: due.ownerId })
    .from(due)
    .orderBy(due.failing, due.place, asc(due.nextAt), asc(due.id))
    .limit(limit);
}

/** Milliseconds until the next delivery of another hook than these is due; null: none waits. */
export async function untilNextDue(db: Reader, busy: readonly number[]): Promise<number | null> {
  const [row] = await db
    .select({ ms: sql<number | null>`(extract(epoch from min(${hook.nextAt}) - now()) * 1000)::float8` })
    .from(hook)
    .where(and(isNotNull(hook.nextAt), isOther(busy)));
  return row?.ms ?? null;
}

/** A delivery that is to be sent; `payload` null: not made yet. */
export interface WaitingDelivery {
  delivery: DeliveryRow;
  type: string;
  payload: string | null;
}

const bytesAtOnce = 1024 * 1024;

/** A hook, and the first deliveries that wait for it: the first one, and more until their payloads are a megabyte. */
export async function waitingDeliveries(
  db: Reader,
  hookId: number,
  limit: number,
): Promise<{ hook: HookRow; waiting: WaitingDelivery[] } | null> {
  const [found] = await db.select().from(hook).where(eq(hook.id, hookId));
  if (found === undefined) {
    return null;
  }
  const lengths = await db
    .select({ id: hookDelivery.id, bytes: sql<number>`coalesce(length(${hookEvent.payload}), 0)` })
    .from(hookDelivery)
    .innerJoin(hookEvent, eq(hookEvent.id, hookDelivery.eventId))
    .where(and(eq(hookDelivery.hookId, hookId), eq(hookDelivery.state, "waiting")))
    .orderBy(asc(hookDelivery.id))
    .limit(limit);
  let bytes = 0;
  const ids = lengths.filter((row, at) => (bytes += row.bytes) <= bytesAtOnce || at === 0).map(({ id }) => id);
  const waiting =
    ids.length === 0
      ? []
      : await db
          .select({ delivery: hookDelivery, type: hookEvent.type, payload: hookEvent.payload })
          .from(hookDelivery)
          .innerJoin(hookEvent, eq(hookEvent.id, hookDelivery.eventId))
          .where(inArray(hookDelivery.id, ids))
          .orderBy(asc(hookDelivery.id));
  return { hook: found, waiting };
}

/** What came of an attempt. */
export type Attempt = Pick<
  DeliveryRow,
  | "id"
  | "state"
  | "attempts"
  | "attemptedAt"
  | "durationMs"
  | "url"
  | "requestHeaders"
  | "status"
  | "responseHeaders"
  | "responseBody"
  | "failure"
>;

/** Writes down what came of attempts. */
export async function storeAttempts(tx: Transaction, attempts: readonly Attempt[]): Promise<void> {
  if (attempts.length === 0) {
    return;
  }
  const json = JSON.stringify(attempts);
  await tx.execute(sql`
    update ${hookDelivery} set state = made."state", attempts = made."attempts", attempted_at = made."attemptedAt",
      duration_ms = made."durationMs", url = made."url", request_headers = made."requestHeaders", status = made."status",
      response_headers = made."responseHeaders", response_body = made."responseBody", failure = made."failure"
    from jsonb_to_recordset(${json}::jsonb) made ("id" bigint, "state" text, "attempts" integer, "attemptedAt" timestamptz,
      "durationMs" integer, "url" text, "requestHeaders" jsonb, "status" integer, "responseHeaders" jsonb,
      "responseBody" text, "failure" text)
    where ${hookDelivery.id} = made."id" and ${hookDelivery.state} = 'waiting'`);
}

/** Locks a hook until this transaction ends; null when it is gone. */
export async function lockHookRow(tx: Transaction, id: number): Promise<HookRow | null> {
  const [row] = await tx.select().from(hook).where(eq(hook.id, id)).for("no key update");
  return row ?? null;
}

/** How a hook stands after attempts. `restMs`: until it is tried again; null: it goes on as soon as something is ready to be sent. */
export async function settleHook(
  tx: Transaction,
  id: number,
  { failingSince, restMs }: { failingSince: Date | null; restMs: number | null },
): Promise<void> {
  const ready = sql`(select case when ${hookEvent.payload} is null then null else now() end
    from ${hookDelivery} join ${hookEvent} on ${hookEvent.id} = ${hookDelivery.eventId}
    where ${hookDelivery.hookId} = ${id} and ${hookDelivery.state} = 'waiting' order by ${hookDelivery.id} limit 1)`;
  await tx
    .update(hook)
    .set({
      failingSince,
      nextAt: restMs === null ? ready : sql`now() + make_interval(secs => ${restMs / 1000}::float8)`,
    })
    .where(eq(hook.id, id));
}
