import type { Reader } from "../../../db/client.ts";
import { serverDoer } from "../../spine/doer.ts";
import type { Forge } from "../../spine/forge.ts";
import { receivers, type Receiver } from "./receivers.ts";
import type { Work } from "../../spine/work.ts";
import { readOutboxRow } from "../../spine/outbox-event.ts";
import {
  adoptOutboxRows,
  deleteOtherReceivers,
  deleteOutboxRows,
  hasAwaitedRow,
  insertReceivers,
  placeTaken,
  takeOutboxRows,
  type OutboxRow,
} from "./queries.ts";

/** Rows that one transaction takes or removes. */
const rowsAtOnce = 500;
/** A receiver that has not taken a row by then does without it. */
const longestDays = 7;

const namesOf = (list: readonly Receiver[]): string[] => list.map(({ name }) => name);

/** The outcome of some rows. */
interface Part {
  /** How many rows are done with. */
  readonly taken: number;
  readonly isMore: boolean;
  /** The rows among them that another version of the server has written, and this one cannot read: the receiver did not get them. */
  readonly unread: readonly Pick<OutboxRow, "id" | "kind">[];
}

/** Gives a receiver the next rows and notes those that it took. */
export async function takeOutbox(work: Work, receiver: Receiver, limit = rowsAtOnce): Promise<Part> {
  const rows = await takeOutboxRows(work.tx, receiver.name, limit);
  if (rows === null) {
    await insertReceivers(work.tx, [receiver.name]);
    return { taken: 0, isMore: false, unread: [] };
  }
  const events = rows.map(readOutboxRow).filter((event) => event !== null);
  const next = events.length > 0 ? events[await receiver.take(work, events)] : undefined;
  const taken = next === undefined ? rows.length : rows.findIndex(({ id }) => id === next.id);
  const isMore = rows.length === limit || taken < rows.length;
  await placeTaken(work.tx, receiver.name, isMore ? (rows[taken - 1]?.id ?? null) : null);
  const readable = new Set(events.map(({ id }) => id));
  const unread = rows.slice(0, taken).filter(({ id }) => !readable.has(id));
  return { taken, isMore, unread: unread.map(({ id, kind }) => ({ id, kind })) };
}

/** Gives all receivers what the outbox has for them. `onTaken` is called after each part of it. */
export async function takeAllOutbox(
  { change, log }: Pick<Forge, "change" | "log">,
  signal?: AbortSignal,
  onTaken?: () => void,
): Promise<void> {
  for (const receiver of receivers) {
    for (let isMore = true; isMore;) {
      const part = await change(serverDoer("outbox"), (work) => takeOutbox(work, receiver));
      part.unread.forEach(({ id, kind }) =>
        log.warn(
          { receiver: receiver.name, event: id, kind },
          "An event cannot be read by this version and was left out",
        ),
      );
      onTaken?.();
      isMore = part.isMore && signal?.aborted !== true;
    }
  }
}

/** Whether every receiver has taken all that was told. */
export async function isOutboxTaken(db: Reader, list: readonly Receiver[] = receivers): Promise<boolean> {
  return !(await hasAwaitedRow(db, namesOf(list)));
}

/**
 * Removes rows of the outbox that all receivers have taken, and those of more than seven days. Returns how many went, at
 * most 500: call it again until it returns less.
 */
export async function removeTakenOutboxRows({ tx }: Work, list: readonly Receiver[] = receivers): Promise<number> {
  const names = namesOf(list);
  await deleteOtherReceivers(tx, names);
  await insertReceivers(tx, names);
  await adoptOutboxRows(tx);
  return deleteOutboxRows(tx, names, longestDays, rowsAtOnce);
}
