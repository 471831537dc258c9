import { hookedKinds, type EventKind } from "../../spine/events.ts";
import { takeHookEvents } from "../../exchange/hooks/take-events.ts";
import type { OutboxEvent } from "../../spine/outbox-event.ts";
import type { Work } from "../../spine/work.ts";

/**
 * Takes events from the outbox after they were committed, in their order and each one once. `take` runs in a transaction
 * that also writes how far the receiver has come, so it queues jobs and does nothing outside of the database.
 */
export interface Receiver {
  /** The receiver's position in the outbox is stored under this name, so it never changes. */
  readonly name: string;
  /** The kinds of events that go into the outbox for it. */
  readonly hears: readonly EventKind[];
  /** Returns how many of the events it took, from the first on; at least one. */
  take(work: Work, events: readonly OutboxEvent[]): Promise<number>;
}

/** All receivers. An outbox row is removed when every receiver has taken it (`removeTakenOutboxRows`). */
export const receivers: readonly Receiver[] = [
  { name: "webhooks", hears: [...hookedKinds, "hook.redelivered"], take: takeHookEvents },
];
