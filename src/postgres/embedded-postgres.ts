import { statSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { messageOf } from "../lib/errors.ts";
import { FileLock } from "../lib/file-lock.ts";
import { writeFileDurably, writeFileUnsynced } from "../lib/files.ts";
import type { Logger } from "../lib/log.ts";
import { DirectoryInUse } from "./errors.ts";
import { hasCluster, initialise } from "./initialise.ts";
import { giveTo, prepareLayout, prepareSocketDirectory, removeUnfinished } from "./layout.ts";
import { stopLeftover } from "./leftover.ts";
import { type Connection, Postmaster } from "./postmaster.ts";
import { preparePrograms } from "./prepare-programs.ts";
import { configurationFile, hostFile, identityFile } from "./settings.ts";

export interface PostgresOptions {
  /** Holds everything of this server; made if absent. Its parents should let other users pass when started as root. */
  readonly directory: string;
  /** Where the programs are unpacked, once per version. */
  readonly cacheDirectory: string;
  /** False gives up every promise about crashes for speed: for tests and throw-away servers. */
  readonly durable: boolean;
  readonly log: Logger;
  /** Called before each start of the server's program, the one after a crash included. */
  readonly beforeStart?: () => void;
}

/** Waits before a dead server is started again: doubled from the first to the last, anew after it ran for a minute. */
const firstBackoffMilliseconds = 100;
const lastBackoffMilliseconds = 10_000;
const calmMilliseconds = 60_000;
/** A server killed just before may still have sessions that are about to notice. */
const startAttempts = 3;

/** A running database server that is started again when it dies. Dispose it last: it waits for nobody for long. */
export class EmbeddedPostgres implements AsyncDisposable {
  #postmaster: Postmaster;
  #restartCount = 0;
  #stopping: AbortController = new AbortController();
  #supervision: Promise<void>;

  private constructor(
    private readonly start: (signal: AbortSignal) => Promise<Postmaster>,
    private readonly lock: FileLock,
    private readonly log: Logger,
    postmaster: Postmaster,
    /** The version of the programs, such as `18.4.0-beta.17`. */
    readonly version: string,
  ) {
    this.#postmaster = postmaster;
    this.#supervision = this.#supervise();
  }

  /**
   * Starts the server of a directory, making a cluster there if there is none.
   * @throws DirectoryInUse, IncompatibleCluster, NoAccount, PostgresUnavailable, PostgresFailed
   */
  static async start(options: PostgresOptions): Promise<EmbeddedPostgres> {
    const { durable, log, beforeStart = () => {} } = options;
    const layout = prepareLayout(options.directory);
    const lock = FileLock.tryAcquire(layout.lock);
    if (lock === null) {
      throw new DirectoryInUse(layout.directory);
    }
    try {
      const { account, distribution } = await preparePrograms(layout, options.cacheDirectory);
      const existing = hasCluster(layout, distribution.major);
      if (existing) {
        await stopLeftover(layout.cluster, log);
      }
      removeUnfinished(layout);
      const write = durable ? writeChanged : writeFileUnsynced;
      await Promise.all([
        write(layout.configuration, configurationFile(durable), 0o644),
        write(layout.host, hostFile, 0o644),
        write(layout.identity, identityFile(account.clients), 0o644),
      ]);
      if (!existing) {
        await initialise({ layout, distribution, account, durable, log });
      }
      giveTo(account, layout.cluster);
      const start = async (signal: AbortSignal): Promise<Postmaster> => {
        beforeStart();
        const socketDirectory = await prepareSocketDirectory(layout, account);
        return Postmaster.start({ layout, distribution, account, socketDirectory, log, signal });
      };
      const postmaster = await startPatiently(() => start(new AbortController().signal), log);
      return new EmbeddedPostgres(start, lock, log, postmaster, distribution.version);
    } catch (error) {
      lock[Symbol.dispose]();
      throw error;
    }
  }

  /** For postgres.js. It stays the same over restarts. */
  get connection(): Connection {
    return this.#postmaster.connection;
  }

  /** The id of the server's first process; another one after a restart. */
  get pid(): number {
    return this.#postmaster.process.pid;
  }

  /** How often a dead server was started again. */
  get restartCount(): number {
    return this.#restartCount;
  }

  async #supervise(): Promise<void> {
    const { signal } = this.#stopping;
    let backoff = firstBackoffMilliseconds;
    while (!signal.aborted) {
      const started = Date.now();
      const end = await this.#postmaster.process.ended;
      if (signal.aborted) {
        return;
      }
      backoff = Date.now() - started > calmMilliseconds ? firstBackoffMilliseconds : backoff;
      this.log.error({ source: "postgres", ...end }, "The database server ended unexpectedly and is started again");
      for (let running = false; !running && !signal.aborted; backoff = Math.min(backoff * 2, lastBackoffMilliseconds)) {
        await pause(backoff, signal);
        if (!signal.aborted) {
          running = await this.#restart();
        }
      }
    }
  }

  async #restart(): Promise<boolean> {
    try {
      this.#postmaster = await this.start(this.#stopping.signal);
      this.#restartCount += 1;
      return true;
    } catch (error) {
      this.log.error({ source: "postgres", error: messageOf(error) }, "The database server could not be started again");
      return false;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#stopping.signal.aborted) {
      return this.#supervision;
    }
    this.#stopping.abort();
    await this.#postmaster.stop();
    await this.#supervision;
    // A restart that was under way when this began has ended in a new server.
    await this.#postmaster.stop();
    await rm(this.connection.host, { recursive: true, force: true });
    this.lock[Symbol.dispose]();
  }
}

/** Writes a small file durably, unless it is there with this content: a start needs no room for it then. */
async function writeChanged(path: string, text: string, mode: number): Promise<void> {
  const present = await readFile(path, "utf8").catch(() => null);
  if (present !== text || (statSync(path).mode & 0o777) !== mode) {
    await writeFileDurably(path, text, mode);
  }
}

async function startPatiently(start: () => Promise<Postmaster>, log: Logger): Promise<Postmaster> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start();
    } catch (error) {
      if (attempt === startAttempts) {
        throw error;
      }
      log.warn({ source: "postgres", error: messageOf(error) }, "The database server did not start and is tried again");
      await Bun.sleep(firstBackoffMilliseconds * 4 ** attempt);
    }
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done);
  });
}
