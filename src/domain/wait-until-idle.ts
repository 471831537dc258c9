import { setTimeout as pause } from "node:timers/promises";
import { countJobs, listJobs, type StoredJob } from "../queue/queries.ts";
import type { Forge } from "./forge.ts";
import { isOutboxTaken } from "./outbox/take-outbox.ts";

/** What there is still to do, and what will not be done any more. */
export interface Idleness {
  /** No job waits or runs, and every receiver has taken what the outbox has for it. */
  idle: boolean;
  /** Jobs that wait or run, the oldest first, some of them. */
  jobs: StoredJob[];
  /** Whether receivers have yet to take something from the outbox. */
  outbox: boolean;
  /** How many jobs have failed for good. */
  dead: number;
}

const lookMs = 20;
const shownJobs = 20;

/** Waits until everything that was caused so far has happened, so long at most; the last look is what it answers. */
export async function waitUntilIdle({ database: { db } }: Forge, timeoutMs: number): Promise<Idleness> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    // The outbox first: what is taken from it may become a job.
    const outbox = !(await isOutboxTaken(db));
    const { waiting, running, dead } = await countJobs(db);
    const idle = !outbox && waiting + running === 0;
    if (idle || performance.now() >= end) {
      return { idle, jobs: idle ? [] : await listJobs(db, ["waiting", "running"], shownJobs), outbox, dead };
    }
    await pause(lookMs);
  }
}
