import type { Transaction } from "../../../db/client.ts";
import { isSeed, type Doer } from "../../spine/doer.ts";
import type { Event } from "../../spine/events.ts";
import { receivers } from "./receivers.ts";
import { writeOutboxRow } from "../../spine/outbox-event.ts";
import { insertOutboxRows } from "./queries.ts";

const heard = new Set(receivers.flatMap(({ hears }) => hears));

/** Writes the events that a receiver hears into the outbox, in their order; none of a seed. Returns whether there are any. */
export async function insertEvents(tx: Transaction, doer: Doer, events: readonly Event[]): Promise<boolean> {
  const rows = isSeed(doer)
    ? []
    : events.filter(({ kind }) => heard.has(kind)).map((event) => writeOutboxRow(doer, event));
  if (rows.length > 0) {
    await insertOutboxRows(tx, rows);
  }
  return rows.length > 0;
}
