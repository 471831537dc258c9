import { and, count, desc, eq, sql, type SQL } from "drizzle-orm";
import type { Credential } from "../../../auth/subject.ts";
import { viewerOf } from "../../../auth/viewer-of.ts";
import type { Reader } from "../../../db/client.ts";
import { accessTokenRepository } from "../../../db/schema/credentials.ts";
import { hookDelivery, hookEvent, type DeliveryState } from "../../../db/schema/hooks.ts";
import type { HookEventRow } from "./making-queries.ts";
import type { DeliveryRow } from "./sending-queries.ts";

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

/** Returns a condition: a token for single repositories hears only of events of those. */
function heardWith({ credential }: { credential: Credential }): SQL | undefined {
  const { restrictedTokenId } = viewerOf({ actor: null, credential });
  return restrictedTokenId === undefined
    ? undefined
    : sql`exists (select 1 from ${accessTokenRepository}
        where ${accessTokenRepository.tokenId} = ${restrictedTokenId} and ${accessTokenRepository.repositoryId} = ${hookEvent.repositoryId})`;
}

/** How the last attempt to deliver something to a hook ended. */
export type LastAttempt = Pick<DeliveryRow, "hookId" | "state" | "attempts" | "status" | "failure" | "attemptedAt">;

/** The last attempts of these hooks, by the ids of the hooks. */
export async function findLastAttempts(db: Reader, hookIds: readonly number[]): Promise<Map<number, LastAttempt>> {
  if (hookIds.length === 0) {
    return new Map();
  }
  const { id, hookId, state, attempts, status, failure, attemptedAt } = hookDelivery;
  const last = sql`${id} in (select (select max(one.id) from ${hookDelivery} one where one.hook_id = asked.id and one.attempted_at is not null)
    from unnest(${sql.param([...hookIds])}::bigint[]) as asked (id))`;
  const rows = await db
    .select({ hookId, state, attempts, status, failure, attemptedAt })
    .from(hookDelivery)
    .where(last);
  return new Map(rows.map((row) => [row.hookId, row]));
}

/** A page of a hook's deliveries that the reader's credential shows, the newest first, and how many there are; of one state, if it is given. */
export async function listDeliveries(
  db: Reader,
  reader: { credential: Credential },
  hookId: number,
  page: { size: number; offset: number },
  state?: DeliveryState,
): Promise<{ rows: FoundDelivery[]; total: number }> {
  const of = and(
    eq(hookDelivery.hookId, hookId),
    heardWith(reader),
    state === undefined ? undefined : eq(hookDelivery.state, state),
  );
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
