import { and, asc, eq, inArray, isNotNull, isNull, lte, sql } from "drizzle-orm";
import type { Reader, Transaction } from "../../../db/client.ts";
import { hook, hookDelivery, hookEvent } from "../../../db/schema/hooks.ts";
import { repository } from "../../../db/schema/repositories.ts";
import type { HookRow } from "./queries.ts";

export type DeliveryRow = typeof hookDelivery.$inferSelect;

/** A hook with a delivery that is due. */
export interface DueHook {
  readonly id: number;
  readonly url: string;
  readonly failing: boolean;
  /** The owner of the hook or of its repository; 0: the server, or an owner who is gone. */
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

/** The outcome of an attempt. */
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

/** Locks hooks until this transaction ends; returns the ids of those that are there. */
export async function lockHooks(tx: Transaction, ids: readonly number[]): Promise<Set<number>> {
  const rows = await tx
    .select({ id: hook.id })
    .from(hook)
    .where(sql`${hook.id} = any(${sql.param([...ids])}::bigint[])`)
    .orderBy(asc(hook.id))
    .for("no key update");
  return new Set(rows.map(({ id }) => id));
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

/** Hooks that nothing was due for go on now. */
export async function makeDue(tx: Transaction, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) {
    await tx
      .update(hook)
      .set({ nextAt: sql`now()` })
      .where(and(sql`${hook.id} = any(${sql.param([...ids])}::bigint[])`, isNull(hook.nextAt)));
  }
}

/** Fails the deliveries that wait for a hook. They are not sent any more. */
export async function failWaitingDeliveries(tx: Transaction, hookId: number, failure: string): Promise<void> {
  await tx
    .update(hookDelivery)
    .set({ state: "dead", failure })
    .where(and(eq(hookDelivery.hookId, hookId), eq(hookDelivery.state, "waiting")));
}
