import type { Reader } from "../../../db/client.ts";
import { viewerOfDoer, type Doer } from "../../spine/doer.ts";
import { NotFound } from "../../spine/errors.ts";
import type { Work } from "../../spine/work.ts";
import { findDelivery, type WholeDelivery } from "./history-queries.ts";
import { demandEvents } from "./edit-hook.ts";
import type { HookPlace } from "./hook-place.ts";
import { findHook, type HookRow } from "./queries.ts";

/** A hook of a place. Throws NotFound. */
export async function getHook(db: Reader, place: HookPlace, id: number): Promise<HookRow> {
  const row = await findHook(db, place, id);
  if (row === null) {
    throw new NotFound("webhook", String(id));
  }
  return row;
}

/**
 * A delivery with its payload, which shows what happened: a token needs the scope of the event. Throws NotFound, ScopeMissing and
 * Forbidden.
 */
export async function getDelivery(
  db: Reader,
  doer: Doer,
  place: HookPlace,
  hookId: number,
  id: number,
): Promise<{ hook: HookRow; found: WholeDelivery }> {
  const hook = await getHook(db, place, hookId);
  const found = await findDelivery(db, viewerOfDoer(doer), hookId, id);
  if (found === null) {
    throw new NotFound("delivery", String(id));
  }
  demandEvents(doer, [found.event.type]);
  return { hook, found };
}

/** Has a delivery sent once more, behind what waits for its hook. Throws what `getDelivery` throws. */
export async function redeliver(work: Work, place: HookPlace, hookId: number, id: number): Promise<void> {
  await getDelivery(work.tx, work.doer, place, hookId, id);
  work.tell({ kind: "hook.redelivered", hookId, deliveryId: id });
}
