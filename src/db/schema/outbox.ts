import { sql } from "drizzle-orm";
import { customType, index, jsonb, pgTable, text } from "drizzle-orm/pg-core";
import { bigintNumber, bytewiseText, id, instant } from "./columns.ts";

const xid8 = customType<{ data: string }>({ dataType: () => "xid8" });
const snapshot = customType<{ data: string }>({ dataType: () => "pg_snapshot" });

/**
 * What happened, for receivers that hear of it after the commit. Without foreign keys: what is told about a deleted
 * repository outlives it. A row goes when all receivers have taken it, after seven days at most.
 */
export const outbox = pgTable(
  "outbox",
  {
    /** Given at the end of the transaction, when it has the rows that it changes: of one repository, the order of the changes. */
    id: id().primaryKey(),
    /** The transaction that wrote the row: a receiver compares it with the snapshot up to which it has read. */
    transaction: xid8()
      .notNull()
      .default(sql`pg_current_xact_id()`),
    at: instant().notNull().defaultNow(),
    /** As `domain/spine/outbox-event.ts` writes and reads it. */
    doer: jsonb().notNull(),
    ownerId: bigintNumber(),
    repositoryId: bigintNumber(),
    /** The `kind` of an Event. */
    kind: bytewiseText().notNull(),
    /** The Event's other fields. */
    payload: jsonb().notNull(),
  },
  (table) => [index("outbox_transaction").on(table.transaction)],
);

/** How far a receiver has read the outbox. */
export const outboxReceiver = pgTable("outbox_receiver", {
  name: text().primaryKey(),
  /** It has taken whatever was committed by then. */
  taken: snapshot().notNull(),
  /** It is about to take what was committed by then and is not in `taken`; null: nothing. */
  taking: snapshot(),
  /** The receiver has taken the rows of that transaction up to this id. */
  takenId: bigintNumber().notNull().default(0),
});
