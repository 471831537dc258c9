import { setTimeout as pause } from "node:timers/promises";
import { countJobs, listJobs, type StoredJob } from "../../queue/queries.ts";
import type { Forge } from "../spine/forge.ts";
import { hasPendingDeliveries } from "../exchange/hooks/sending-queries.ts";
import { isOutboxTaken, takeAllOutbox } from "./outbox/take-outbox.ts";

/** The work that is left, and the work that failed for good. */
export interface Idleness {
  /** No job waits or runs, every receiver has taken what the outbox has for it, and webhooks have been told. */
  idle: boolean;
  /** Jobs that wait or run, the oldest first, some of them. */
  jobs: StoredJob[];
  /** Whether receivers have yet to take something from the outbox. */
  outbox: boolean;
  /** Whether webhooks are about to be told something. Those that fail are not waited for. */
  hooks: boolean;
  /** How many jobs have failed for good. */
  dead: number;
}

const lookMs = 20;
const shownJobs = 20;

/** Waits until everything that was caused so far has happened, so long at most; the last look is what it answers. */
export async function waitUntilIdle(forge: Forge, timeoutMs: number): Promise<Idleness> {
  const { db } = forge.database;
  const end = performance.now() + timeoutMs;
  for (;;) {
    // The outbox first: what is taken from it may become a job.
    const outbox = !(await isOutboxTaken(db));
    if (outbox) {
      // While there are no webhooks, nothing takes it before the hour is over.
      await takeAllOutbox(forge);
    }
    const hooks = await hasPendingDeliveries(db);
    const { waiting, running, dead } = await countJobs(db);
    const idle = !outbox && !hooks && waiting + running === 0;
    if (idle || performance.now() >= end) {
      return { idle, jobs: idle ? [] : await listJobs(db, ["waiting", "running"], shownJobs), outbox, hooks, dead };
    }
    await pause(lookMs);
  }
}
