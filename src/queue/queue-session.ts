import { EventEmitter } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import type { Job, TaskList, WorkerEvents, WorkerPool } from "graphile-worker";
import type { Pool, PoolClient, PoolConfig } from "pg";
import type { ConnectionTarget } from "../db/connection-options.ts";
import { describeError } from "../db/pg-errors.ts";
import type { Logger } from "../lib/log.ts";
import { JobFailedForGood } from "./errors.ts";
import type { JobKind } from "./job-kind.ts";
import { isSuperseded, schemaName, turnNotice, untilTurn } from "./queries.ts";
import { Turns } from "./turns.ts";

/** A job as the library hands it out. */
export interface ClaimedJob {
  readonly id: number;
  readonly payload: unknown;
  /** 1 for the first. */
  readonly attempt: number;
  /** After so many it is a dead letter. */
  readonly attempts: number;
}

export interface SessionOptions {
  readonly target: ConnectionTarget;
  readonly log: Logger;
  readonly kinds: readonly JobKind[];
  readonly schedule: readonly { readonly kind: JobKind; readonly cron: string }[];
  readonly workers: number;
  /** Ends the session in good order. */
  readonly signal: AbortSignal;
  /** The names of kinds of which no more may begin at the moment. */
  readonly atCapacity: () => string[];
  /** The signal is aborted when the session ends: the job stays in the queue. */
  readonly perform: (kind: JobKind, job: ClaimedJob, signal: AbortSignal) => Promise<void>;
}

/** One listens and holds the lock; the others fetch jobs and say what became of them. */
const connections = 3;
/** What a notification that was lost costs at most. */
const pollMs = 5 * 60_000;
/** How often jobs are looked for whose process has died: each look is one short read. */
const reclaimMs = 5 * 60_000;
/** When they are looked for after the start: the database may take a while to notice that a connection is gone. */
const firstReclaimsMs = [500, 2000, 5000, 15_000, 60_000];
/** The end of a session takes this long at most, whatever the library and its jobs wait for. */
const stopMs = 10_000;
/** A statement of the queue that takes longer has lost its connection. */
const queryMs = 60_000;
const longestTimerMs = 2 ** 31 - 1;

/** Events by which the library tells that a connection was lost: its open queries may never settle then. */
const losses = ["pool:listen:error", "pool:fatalError", "worker:getJob:error", "worker:fatalError"] as const;

/**
 * Runs jobs with the library (graphile-worker) from connecting to the end: the signal, or the loss of a connection. Throws
 * what ended it otherwise. It ends within `stopMs`, and the next session takes up the jobs that this one had begun.
 *
 * The library keeps a job locked under the name of its process for four hours. So that a job whose process was killed
 * runs again at once, each process holds an advisory lock of that name, on the connection that listens: what is locked
 * under a name whose advisory lock is free is nobody's any more.
 */
export async function runSession(options: SessionOptions): Promise<void> {
  const { log, signal, workers } = options;
  const [{ default: pg }, library] = await Promise.all([import("pg"), import("graphile-worker")]);
  const pool = new pg.Pool(poolConfig(options.target));
  // Both are told of a connection that broke, and without them it would end the process. Whoever uses it hears of it, too.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => Promise.race([pool.end(), pause(1000)]));
  await reclaimJobs(pool, null);

  const state = new SessionState(pool, options);
  stack.use(state);
  const runner = await library.run(
    {
      pgPool: pool,
      schema: schemaName,
      concurrency: workers,
      pollInterval: pollMs,
      noHandleSignals: true,
      events: state.events,
      logger: new library.Logger(() => (level, message, meta) => {
        // What becomes of jobs is logged where they are run.
        if (level === "error" && meta?.["failure"] !== true) {
          log.warn({ reason: message }, "The job queue met an error");
        }
      }),
      forbiddenFlags: () => state.forbiddenFlags(),
      // Without it, the library does not notice when the database is gone while it says that a job is done.
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    },
    tasksOf(state, options),
    library.parseCronItems(
      options.schedule.map(({ kind, cron }) => ({
        task: kind.name,
        match: cron,
        identifier: kind.name,
        payload: { doer: { kind: "server", reason: "schedule" }, data: {} },
        options: { maxAttempts: kind.attempts, backfillPeriod: 0 },
      })),
    ),
  );
  const ended = Promise.allSettled([runner.promise]);
  const overdue = Promise.withResolvers<void>();
  const stop = () => {
    setTimeout(() => overdue.resolve(), stopMs).unref();
    runner.stop().catch(() => {});
  };
  state.ending.addEventListener("abort", stop, { once: true });
  if (state.ending.aborted) {
    stop();
  }
  await Promise.race([ended, overdue.promise]);
  state.end(new Error("The library's runner ended by itself"));
  await state.giveBackInterrupted();
  if (!signal.aborted) {
    throw state.ending.reason;
  }
}

function poolConfig({ host, port, user, password, database, tls }: ConnectionTarget): PoolConfig {
  return {
    host,
    port,
    user,
    database,
    ...(password === undefined ? {} : { password }),
    ssl: tls === "off" ? false : { rejectUnauthorized: tls === "verify" },
    max: connections,
    // They stay: to connect costs the database more than to keep a connection.
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: 10_000,
    query_timeout: queryMs,
    keepAlive: true,
    application_name: "stithy-queue",
  };
}

function tasksOf(state: SessionState, { kinds, perform }: SessionOptions): TaskList {
  return Object.fromEntries(
    kinds.map((kind) => [
      kind.name,
      async (payload: unknown, { job }: { job: Job }) => {
        state.turns.begin(job.id);
        try {
          const claimed = { id: Number(job.id), payload, attempt: job.attempts, attempts: job.max_attempts };
          await perform(kind, claimed, state.ending);
        } catch (error) {
          await state.noteFailure(job, error);
          throw error;
        } finally {
          state.turns.end(job.id);
          state.noteRoom();
        }
      },
    ]),
  );
}

/** Gives back what is locked by processes that are gone, but for what later jobs do. `own` is not among them, even while its connection is made anew. */
async function reclaimJobs(pool: Pool, own: string | null): Promise<void> {
  const { rows } = await pool.query<{ holder: string }>(
    `select distinct locked_by as holder from ${schemaName}._private_jobs where locked_by is not null`,
  );
  for (const { holder } of rows.filter((row) => row.holder !== own)) {
    // In one transaction, so that the lock goes with it.
    await pool.query(
      `select ${schemaName}.force_unlock_workers(array[holder]) from (values ($1::text)) as gone (holder)
       where pg_try_advisory_xact_lock(hashtextextended(holder, 0))`,
      [holder],
    );
  }
  await pool.query(`delete from ${schemaName}._private_jobs where locked_at is null and ${isSuperseded}`);
}

/** What a session knows beside the library: who it is, what comes next, and what it was interrupted in. */
class SessionState implements Disposable {
  readonly events = new EventEmitter() as WorkerEvents;
  readonly turns: Turns;
  #workers: WorkerPool | null = null;
  readonly #held = Promise.withResolvers<void>();
  readonly #interrupted: string[] = [];
  /** Ends when the worker before has fetched. */
  #fetching: Promise<void> = Promise.resolve();
  #fetched: (() => void) | null = null;
  #wakeAt = Number.POSITIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #looking: Promise<void> | null = null;
  /** Whether there may be a job that is due later: none is enqueued for later, but one rests that has failed, here or before the start. */
  #mayRest = true;
  /** Whether somebody looked for jobs while there was no room for some kind. */
  #heldBack = false;
  readonly #reclaims: ReturnType<typeof setTimeout>[];
  readonly #ending = new AbortController();
  readonly #onStop = () => this.end(this.options.signal.reason);

  constructor(
    private readonly pool: Pool,
    private readonly options: SessionOptions,
  ) {
    this.turns = new Turns(options.kinds);
    options.signal.addEventListener("abort", this.#onStop, { once: true });
    if (options.signal.aborted) {
      this.#onStop();
    }
    for (const lost of losses) {
      this.events.on(lost, ({ error }) => this.end(error));
    }
    this.events.on("pool:gracefulShutdown", ({ message }) => this.end(new Error(message)));
    this.events.on("pool:create", ({ workerPool }) => (this.#workers = workerPool));
    this.events.on("pool:listen:success", ({ client, workerPool }) => {
      // The library is about to use the connection for LISTEN; it takes one query at a time.
      client.once("drain", () => void this.#holdName(client, workerPool.id));
      client.on("notification", ({ payload }) => {
        if (payload === turnNotice) {
          this.turns.mayWait = true;
          this.wake(1);
        }
      });
    });
    this.events.on("worker:getJob:empty", () => {
      if (this.#mayRest) {
        void this.#lookForNext();
      }
    });
    for (const fetched of ["job:start", "worker:getJob:empty", "worker:getJob:error"] as const) {
      this.events.on(fetched, () => this.#fetched?.());
    }
    this.events.on("job:error", ({ job }) => this.#wakeIn(restMs(job.attempts)));
    this.#reclaims = [
      ...firstReclaimsMs.map((ms) => setTimeout(() => void this.#reclaim(), ms)),
      setInterval(() => void this.#reclaim(), reclaimMs),
    ];
    this.#reclaims.forEach((timer) => timer.unref());
  }

  /** Aborted when the session ends. The reason says why. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  /** Ends the session, if it does not end already. */
  end(reason: unknown): void {
    this.#ending.abort(reason);
  }

  async #holdName(client: PoolClient, name: string): Promise<void> {
    try {
      await client.query("select pg_advisory_lock(hashtextextended($1, 0))", [name]);
      this.#held.resolve();
      // What came while nobody listened.
      this.wake(this.options.workers);
    } catch {
      // The connection broke: the library makes another one, and says so.
    }
  }

  /**
   * The kinds that no job is fetched of. The library asks before each fetch, and fetches when this has returned: one worker at a time, or
   * several would take the last place of a kind. Nothing is fetched before others can see that this process lives.
   */
  async forbiddenFlags(): Promise<string[] | null> {
    const before = this.#fetching;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#fetching = promise;
    await before;
    this.#fetched = resolve;
    await this.#untilHeld();
    await this.#giveTurns();
    const names = this.options.atCapacity();
    this.#heldBack ||= names.length > 0;
    return names.length === 0 ? null : names;
  }

  async #giveTurns(): Promise<void> {
    try {
      await this.turns.give(this.pool);
    } catch (error) {
      this.options.log.debug(describeError(error), "Jobs that wait for their turn could not be looked at");
    }
  }

  async #untilHeld(): Promise<void> {
    const signal = this.ending;
    if (!signal.aborted) {
      const { promise: stopped, resolve } = Promise.withResolvers<void>();
      const onStop = () => resolve();
      signal.addEventListener("abort", onStop, { once: true });
      await Promise.race([this.#held.promise, stopped]);
      signal.removeEventListener("abort", onStop);
    }
  }

  /** A job has ended. Whoever did it looks for the next one; those who were held back do so, too. */
  noteRoom(): void {
    if (this.#heldBack || this.turns.mayWait) {
      this.#heldBack = false;
      this.wake(1);
    }
  }

  /** Has so many idle workers look for jobs. */
  wake(count: number): void {
    try {
      this.#workers?.nudge(count);
    } catch {
      // The library throws when its workers have ended: there is nobody to wake.
    }
  }

  async noteFailure(job: Job, error: unknown): Promise<void> {
    if (this.ending.aborted) {
      this.#interrupted.push(job.id);
    } else if (await this.#forgetSuperseded(job)) {
      this.options.log.debug({ job: job.id }, "The job that failed is done by a later one of its key");
    } else if (error instanceof JobFailedForGood) {
      await this.pool.query(`update ${schemaName}._private_jobs set max_attempts = attempts where id = $1`, [job.id]);
    }
  }

  async #forgetSuperseded({ id }: Job): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `delete from ${schemaName}._private_jobs where id = $1 and ${isSuperseded}`,
      [id],
    );
    return rowCount === 1;
  }

  /** A job that is aborted because the session ends has not failed: it runs first in the next session, and the try does not count. */
  async giveBackInterrupted(): Promise<void> {
    if (this.#interrupted.length === 0) {
      return;
    }
    try {
      await this.pool.query(
        `update ${schemaName}._private_jobs set attempts = greatest(attempts - 1, 0), run_at = now(), last_error = null
         where id = any($1::bigint[]) and locked_at is null`,
        [this.#interrupted],
      );
    } catch (error) {
      // The database is gone: what is locked is taken up by the next session.
      this.options.log.debug(describeError(error), "Interrupted jobs could not be given back");
    }
  }

  /** The library polls for what is due later; this wakes it at that moment instead. */
  #lookForNext(): Promise<void> {
    this.#looking ??= (async () => {
      this.#mayRest = false;
      try {
        const { rows } = await this.pool.query<{ ms: string | null }>(
          `select extract(epoch from min(run_at) - now()) * 1000 as ms from ${schemaName}._private_jobs
           where is_available and run_at > now() and run_at < '${untilTurn}'`,
        );
        const ms = rows[0]?.ms ?? null;
        if (ms !== null) {
          this.#mayRest = true;
          this.#wakeIn(Number(ms));
        }
      } catch (error) {
        this.#mayRest = true;
        this.options.log.debug(describeError(error), "The next job could not be looked for");
      } finally {
        this.#looking = null;
      }
    })();
    return this.#looking;
  }

  /** Somebody looks then at the latest, and finds out when the next one is due. */
  #wakeIn(ms: number): void {
    this.#mayRest = true;
    const at = performance.now() + ms + 5;
    if (at >= this.#wakeAt || this.ending.aborted) {
      return;
    }
    this.#wakeAt = at;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        this.#wakeAt = Number.POSITIVE_INFINITY;
        this.#mayRest = true;
        this.wake(this.options.workers);
      },
      Math.min(ms + 5, longestTimerMs),
    );
    this.#timer.unref();
  }

  async #reclaim(): Promise<void> {
    this.#mayRest = true;
    this.turns.mayWait = true;
    try {
      await reclaimJobs(this.pool, this.#workers?.id ?? null);
      this.wake(this.options.workers);
    } catch (error) {
      this.options.log.debug(describeError(error), "Jobs of processes that are gone could not be looked for");
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#reclaims.forEach((timer) => clearTimeout(timer));
    this.options.signal.removeEventListener("abort", this.#onStop);
  }
}

/** How long the library lets a job rest after so many tries. */
function restMs(attempts: number): number {
  return Math.exp(Math.min(attempts, 10)) * 1000;
}
