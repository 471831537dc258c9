import { describeError } from "../../db/pg-errors.ts";
import type { Logger } from "../../lib/log.ts";
import { repositoriesWithPacks } from "../packs/queries.ts";
import { repackRepository, type Maintenance } from "./repack-repository.ts";

export interface MaintenanceTimes {
  /** How long a repository has to be left alone before it is looked at, ms: pushes come in swarms. */
  readonly quietMs: number;
  /** How long nothing is done for a repository after it was looked at, ms. */
  readonly restMs: number;
}

const defaultTimes: MaintenanceTimes = { quietMs: 5000, restMs: 60_000 };
/** How many repositories a look over all of them takes up. */
const sweepLimit = 1000;

/**
 * Keeps repositories in few packs while the server runs: one after another, in the background. It hears of a repository
 * when somebody reads it with more than one pack; `sweep` finds those that nobody reads. Disposing ends what is under way.
 */
export class MaintainRepositories implements AsyncDisposable {
  readonly #waiting = new Map<number, ReturnType<typeof setTimeout>>();
  /** when each repository was last looked at; forgotten when it may be again */
  readonly #looked = new Map<number, number>();
  readonly #stop = new AbortController();
  #queue: Promise<void> = Promise.resolve();

  constructor(
    private readonly maintenance: Maintenance,
    private readonly log: Logger,
    private readonly times: MaintenanceTimes = defaultTimes,
  ) {}

  /** A repository has more than one pack. */
  notice(repositoryId: number): void {
    if (this.#stop.signal.aborted || this.#waiting.has(repositoryId)) {
      return;
    }
    const rest = (this.#looked.get(repositoryId) ?? Number.NEGATIVE_INFINITY) + this.times.restMs - performance.now();
    const timer = setTimeout(() => this.#enqueue(repositoryId), Math.max(this.times.quietMs, rest));
    timer.unref();
    this.#waiting.set(repositoryId, timer);
  }

  /** Looks for repositories of several packs, and answers how many there are. */
  async sweep(): Promise<number> {
    const found = await repositoriesWithPacks(this.maintenance.db, sweepLimit);
    found.forEach((id) => this.notice(id));
    return found.length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.#waiting.forEach((timer) => clearTimeout(timer));
    this.#waiting.clear();
    await this.#queue;
  }

  #enqueue(repositoryId: number): void {
    const before = this.#queue;
    this.#queue = (async () => {
      await before;
      if (!this.#stop.signal.aborted) {
        this.#waiting.delete(repositoryId);
        this.#forgetOld();
        this.#looked.set(repositoryId, performance.now());
        await this.#repack(repositoryId);
      }
    })();
  }

  async #repack(repositoryId: number): Promise<void> {
    const started = performance.now();
    try {
      const done = await repackRepository(this.maintenance, { repositoryId, kind: "due", signal: this.#stop.signal });
      if (done !== null) {
        const { before, after, dropped } = done;
        this.log.info({ repository: repositoryId, packsBefore: before.length, packsMade: after.length, dropped, ms: Math.round(performance.now() - started) }, "Repacked");
      }
    } catch (error) {
      if (!this.#stop.signal.aborted) {
        this.log.warn({ repository: repositoryId, ...describeError(error) }, "A repository could not be repacked; it is as it was");
      }
    }
  }

  #forgetOld(): void {
    const now = performance.now();
    for (const [id, at] of this.#looked) {
      if (at + this.times.restMs < now) {
        this.#looked.delete(id);
      }
    }
  }
}
