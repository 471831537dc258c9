import { takeHookEvents } from "./hooks/take-events.ts";
import type { OutboxRow } from "./outbox/queries.ts";
import type { Work } from "./work.ts";

/**
 * Takes events from the outbox after they were committed, in their order and each one once. `take` runs in a transaction
 * that also writes how far the receiver has come, so it queues jobs and does nothing outside of the database.
 */
export interface Receiver {
  /** The receiver's position in the outbox is stored under this name, so it never changes. */
  readonly name: string;
  /** Returns how many of the rows it took, from the first on; at least one. */
  take(work: Work, rows: readonly OutboxRow[]): Promise<number>;
}

/** All receivers. An outbox row is removed when every receiver has taken it (`removeTakenOutboxRows`). */
export const receivers: readonly Receiver[] = [{ name: "webhooks", take: takeHookEvents }];
