import { setTimeout as pause } from "node:timers/promises";
import { Type } from "@sinclair/typebox";
import type { ConnectionTarget } from "../db/connection-options.ts";
import { describeError } from "../db/pg-errors.ts";
import { noteWork } from "../lib/garbage.ts";
import type { Logger } from "../lib/log.ts";
import { JobFailedForGood, JobOverdue } from "./errors.ts";
import { JobDoer, type JobKind } from "./job-kind.ts";
import { QueuePulse } from "./queue-pulse.ts";
import { runSession, type ClaimedJob } from "./queue-session.ts";
import { fits } from "../lib/schema.ts";

/** A job that is to be done now. */
export interface StartedJob {
  readonly kind: JobKind;
  /** It fits the kind. */
  readonly payload: unknown;
  readonly doer: JobDoer;
  /** 1 for the first. */
  readonly attempt: number;
}

export interface JobRunnerOptions {
  readonly target: ConnectionTarget;
  readonly log: Logger;
  readonly kinds: readonly JobKind[];
  /** When a job of a kind comes into the queue by itself, as a line of crontab in UTC; once, however many processes there are. */
  readonly schedule: readonly { readonly kind: JobKind; readonly cron: string }[];
  /**
   * Does a job. An error makes it a try that failed, JobFailedForGood a dead letter. The signal is aborted when the server
   * stops or the time is up; what does not end within `graceMs` of it is left to itself.
   */
  readonly perform: (job: StartedJob, signal: AbortSignal) => Promise<void>;
  /** Told of each job that begins and ends. */
  readonly pulse?: QueuePulse;
}

/** Jobs that run at once in a process, of all kinds together. */
export const workers = 16;
const graceMs = 5000;
const firstBackoffMs = 100;
const lastBackoffMs = 10_000;

const Stored = Type.Object({ doer: JobDoer, data: Type.Unknown() });

/**
 * Runs the jobs of the queue until it is disposed, which aborts what is running and leaves it in the queue. While there is
 * nothing to do it waits for a notification of the database; when that goes away, it starts anew once it is back.
 */
export class JobRunner implements AsyncDisposable {
  readonly #stop = new AbortController();
  readonly #supervision: Promise<void>;
  readonly #pulse: QueuePulse;

  constructor(private readonly options: JobRunnerOptions) {
    this.#pulse = options.pulse ?? new QueuePulse();
    this.#supervision = this.#supervise();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#supervision;
  }

  async #supervise(): Promise<void> {
    const { signal } = this.#stop;
    const { target, log, kinds, schedule } = this.options;
    for (let backoff = firstBackoffMs; !signal.aborted; backoff = Math.min(backoff * 2, lastBackoffMs)) {
      const started = performance.now();
      try {
        await runSession({
          target,
          log,
          schedule,
          kinds,
          workers,
          signal,
          atCapacity: () => kinds.filter((kind) => this.#pulse.isFull(kind)).map(({ name }) => name),
          perform: (kind, job, ending) => this.#run(kind, job, ending),
        });
      } catch (error) {
        log.warn(describeError(error), "The job queue lost the database and starts anew");
      }
      backoff = performance.now() - started > lastBackoffMs ? firstBackoffMs : backoff;
      await pause(backoff, undefined, { signal }).catch(() => {});
    }
  }

  /** Does a job within its bounds. Throws what the library keeps as the reason of the failure: text that may be shown. */
  async #run(kind: JobKind, job: ClaimedJob, ending: AbortSignal): Promise<void> {
    const { log } = this.options;
    const fields = { job: job.id, kind: kind.name, attempt: job.attempt };
    const started = performance.now();
    using _begun = this.#pulse.begin(kind);
    noteWork();
    try {
      await this.#perform(kind, job, ending);
      log.debug({ ...fields, ms: Math.round(performance.now() - started) }, "Did a job");
    } catch (error) {
      const described = describeError(error);
      if (ending.aborted) {
        log.debug(fields, "A job was interrupted, as the server stops or lost the database; it stays in the queue");
      } else if (error instanceof JobFailedForGood || job.attempt >= job.attempts) {
        log.error({ ...fields, ...described }, "A job failed for good; it is kept as a dead letter");
      } else {
        log.warn({ ...fields, ...described }, "A job failed; it will be tried again");
      }
      throw error instanceof JobFailedForGood ? error : new Error(described.reason, { cause: error });
    } finally {
      noteWork();
    }
  }

  async #perform(kind: JobKind, job: ClaimedJob, session: AbortSignal): Promise<void> {
    if (!fits(Stored, job.payload) || !fits(kind.payload, job.payload.data)) {
      throw new JobFailedForGood(`This version does not understand the payload of a job "${kind.name}"`);
    }
    const { doer, data: payload } = job.payload;
    const ending = new AbortController();
    const { promise: left, reject: leave } = Promise.withResolvers<never>();
    left.catch(() => {});
    const timers = new Set<ReturnType<typeof setTimeout>>();
    const end = (reason: unknown) => {
      ending.abort(reason);
      timers.add(setTimeout(() => leave(reason), graceMs));
    };
    const onStop = () => end(session.reason);
    timers.add(setTimeout(() => end(new JobOverdue(kind.name, kind.timeLimitMs)), kind.timeLimitMs));
    session.addEventListener("abort", onStop, { once: true });
    try {
      session.throwIfAborted();
      const done = this.options.perform({ kind, payload, doer, attempt: job.attempt }, ending.signal);
      await Promise.race([done, left]);
    } finally {
      session.removeEventListener("abort", onStop);
      timers.forEach((timer) => clearTimeout(timer));
    }
  }
}
