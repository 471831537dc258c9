import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "../db/client.ts";
import { describeError } from "../db/pg-errors.ts";
import { noteWork } from "../lib/note-work.ts";
import type { Logger } from "../lib/log.ts";
import {
  claimJobs,
  extendLeases,
  failJob,
  finishJob,
  leaseSeconds,
  returnFormerJobs,
  returnJob,
  untilNextDue,
  type ClaimedJob,
} from "./claim.ts";
import { JobFailedForGood, JobOverdue } from "./errors.ts";
import { JobDoer, type JobKind } from "./job-kind.ts";
import type { QueuePulse } from "./queue-pulse.ts";
import { scheduleJobs } from "./schedule-jobs.ts";
import { fits } from "../lib/schema.ts";

/** A job that is to be done now. */
export interface StartedJob {
  readonly kind: string;
  /** It fits the kind. */
  readonly payload: unknown;
  readonly doer: JobDoer;
  /** 1 for the first. */
  readonly attempt: number;
}

export interface JobRunnerOptions {
  /** No two runners of a database have it at the same time. The next one of this name goes on at once with what a killed process has left. */
  readonly name: string;
  readonly db: Database;
  readonly log: Logger;
  /** Whether kinds that have a schedule come by themselves. */
  readonly scheduled: boolean;
  /**
   * Does a job. An error makes it a try that failed, JobFailedForGood a dead letter. The signal is aborted when the server
   * stops, the time is up or the lease is lost; a job that does not end within `graceMs` of it is left to itself.
   */
  readonly perform: (job: StartedJob, signal: AbortSignal) => Promise<void>;
  /** The kinds of jobs. Its bell wakes the runner, which tells it of each job that begins and ends. */
  readonly pulse: QueuePulse;
}

/** Jobs that run at once in a process, of all kinds together. */
export const workers = 16;
const graceMs = 5000;
const stopMs = 2 * graceMs;
/** How often jobs are looked for without a ring: those of other processes, and those whose process died. */
const pollMs = 10_000;
const soonMs = 1000;
/** A look that takes longer has lost its connection. */
const lookMs = 60_000;
const firstBackoffMs = 100;
const lastBackoffMs = 5000;

/**
 * Runs the jobs of the queue until it is disposed, which aborts what is running and gives it back. It looks for jobs when the bell rings,
 * when a job ends, when the next one is due, and every ten seconds; while the database is gone, again and again.
 */
export class JobRunner implements AsyncDisposable {
  readonly #stop = new AbortController();
  readonly #running = new Map<number, { ending: AbortController; done: Promise<void> }>();
  readonly #looking: Promise<void>;
  readonly #extending: ReturnType<typeof setInterval>;
  #isWanted = true;
  #wake: () => void = () => {};

  constructor(private readonly options: JobRunnerOptions) {
    options.pulse.listener = () => this.#ask();
    this.#extending = setInterval(() => void this.extendLeases(), (leaseSeconds * 1000) / 3);
    this.#looking = this.#lookUntilStopped();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.options.pulse.listener = null;
    this.#stop.abort(new Error("The job queue stops"));
    this.#ask();
    clearInterval(this.#extending);
    // A database that does not answer holds nobody up: the next runner of this name takes up what is left.
    await Promise.race([this.#endJobs(), pause(stopMs, undefined, { ref: false })]);
  }

  async #endJobs(): Promise<void> {
    const abort = () => this.#running.forEach(({ ending }) => ending.abort(this.#stop.signal.reason));
    abort();
    // The last look may have started some.
    await this.#looking;
    abort();
    await Promise.all(this.#running.values().map(({ done }) => done));
  }

  #ask(): void {
    this.#isWanted = true;
    this.#wake();
  }

  async #lookUntilStopped(): Promise<void> {
    const { log, name, db } = this.options;
    let [isFirst, failures] = [true, 0];
    while (!this.#stop.signal.aborted) {
      this.#isWanted = false;
      let restMs: number;
      try {
        if (isFirst) {
          await within(lookMs, returnFormerJobs(db, name));
        }
        restMs = await within(lookMs, this.#look(isFirst));
        [isFirst, failures] = [false, 0];
      } catch (error) {
        if (failures++ === 0) {
          log.warn(describeError(error), "The job queue could not look for jobs, and tries again");
        }
        await this.#untilAborted(backoffMs(failures));
        continue;
      }
      await this.#untilAsked(restMs);
    }
  }

  /** Starts the jobs that may begin. Returns the milliseconds until it has to look again, if nobody asks before. */
  async #look(isFirst: boolean): Promise<number> {
    const { db, name, scheduled, pulse } = this.options;
    const { kinds } = pulse;
    const room = workers - this.#running.size;
    const claimed = room > 0 ? await claimJobs(db, { runner: name, kinds, room, own: [...this.#running.keys()] }) : [];
    claimed.forEach((job) => this.#start(job));
    if (scheduled && (isFirst || claimed.some(({ kind }) => kinds[kind]?.schedule !== undefined))) {
      await scheduleJobs(db, kinds);
    }
    if (claimed.length > 0) {
      // Most end before that, and ask. To find the next one that is due reads all that wait.
      return soonMs;
    }
    const dueMs = await untilNextDue(db);
    return Math.min(dueMs ?? pollMs, pollMs) + 1;
  }

  async #untilAsked(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const timer = setTimeout(resolve, ms);
    timer.unref();
    if (!this.#isWanted && !this.#stop.signal.aborted) {
      await promise;
    }
    clearTimeout(timer);
  }

  async #untilAborted(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.#stop.signal }).catch(() => {});
  }

  /** Does what is done every twenty seconds. A job that another process has taken over is aborted. */
  async extendLeases(): Promise<void> {
    const held = new Map(this.#running);
    if (held.size === 0) {
      return;
    }
    try {
      const ids = await extendLeases(this.options.db, this.options.name);
      for (const [id, { ending }] of held) {
        if (!ids.has(id)) {
          ending.abort(new Error("Another process has taken the job over"));
        }
      }
    } catch (error) {
      this.options.log.debug(describeError(error), "The leases of jobs could not be extended");
    }
  }

  #start(claimed: ClaimedJob): void {
    const ending = new AbortController();
    const done = this.#run(claimed, ending);
    this.#running.set(claimed.id, { ending, done });
  }

  async #run(claimed: ClaimedJob, ending: AbortController): Promise<void> {
    using _begun = this.options.pulse.begin();
    noteWork();
    const settle = await this.#perform(claimed, ending);
    await this.#persist(settle);
    this.#running.delete(claimed.id);
    this.#ask();
  }

  /** Runs a job within its bounds. Returns what writes down how that ended. */
  async #perform(claimed: ClaimedJob, ending: AbortController): Promise<() => Promise<void>> {
    const { log, db, name, pulse } = this.options;
    const { id, kind, attempt } = claimed;
    const { attempts } = pulse.kinds[kind]!;
    const fields = { job: id, kind, attempt };
    const started = performance.now();
    try {
      await this.#performOnce(claimed, ending);
      log.debug({ ...fields, ms: Math.round(performance.now() - started) }, "Did a job");
      return () => finishJob(db, claimed, name);
    } catch (error) {
      if (this.#stop.signal.aborted) {
        log.debug(fields, "A job was interrupted, as the server stops; it stays in the queue");
        return () => returnJob(db, claimed, name);
      }
      const described = describeError(error);
      // Text that may be shown.
      const reason = error instanceof JobFailedForGood ? error.message : described.reason;
      if (error instanceof JobFailedForGood || attempt >= attempts) {
        log.error({ ...fields, ...described }, "A job failed for good; it is kept as a dead letter");
        return () => failJob(db, claimed, name, { reason, restSeconds: null });
      }
      log.warn({ ...fields, ...described }, "A job failed; it will be tried again");
      return () => failJob(db, claimed, name, { reason, restSeconds: Math.exp(Math.min(attempt, 10)) });
    }
  }

  async #performOnce({ kind, doer, payload, attempt }: ClaimedJob, ending: AbortController): Promise<void> {
    const limits: JobKind = this.options.pulse.kinds[kind]!;
    if (attempt > limits.attempts) {
      throw new JobFailedForGood("The server ended each time while the job ran");
    }
    if (!fits(JobDoer, doer) || !fits(limits.payload, payload)) {
      throw new JobFailedForGood(`This version does not understand the payload of a job "${kind}"`);
    }
    const { promise: left, reject: leave } = Promise.withResolvers<never>();
    left.catch(() => {});
    const timers = [setTimeout(() => ending.abort(new JobOverdue(kind, limits.timeLimitMs)), limits.timeLimitMs)];
    ending.signal.addEventListener("abort", () => timers.push(setTimeout(() => leave(ending.signal.reason), graceMs)), {
      once: true,
    });
    try {
      const done = this.options.perform({ kind, payload, doer, attempt }, ending.signal);
      await Promise.race([done, left]);
    } finally {
      timers.forEach((timer) => clearTimeout(timer));
    }
  }

  /** Writes down how a job ended: again and again while the database is gone, unless the server stops. */
  async #persist(settle: () => Promise<void>): Promise<void> {
    for (let failures = 1; ; failures++) {
      try {
        return await within(lookMs, settle());
      } catch (error) {
        if (this.#stop.signal.aborted) {
          // The next runner of this name takes it up.
          return;
        }
        this.options.log.debug(describeError(error), "The end of a job could not be written down, and is again");
        await this.#untilAborted(backoffMs(failures));
      }
    }
  }
}

function backoffMs(failures: number): number {
  return Math.min(firstBackoffMs * 2 ** (failures - 1), lastBackoffMs);
}

/** Throws an Error where it takes longer: a statement whose connection was lost may never settle. */
async function within<Result>(ms: number, work: Promise<Result>): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`The database has not answered within ${ms / 1000} seconds`)), ms);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
