import { describeError } from "../../../db/pg-errors.ts";
import { newJob } from "../../../queue/enqueue.ts";
import { serverDoer } from "../../spine/doer.ts";
import type { Forge } from "../../spine/forge.ts";
import { listMaintainedPacks, repositoriesWithPacks } from "../../git/packs/queries.ts";
import { planRepack } from "./plan-repack.ts";

export interface RepackTimes {
  /** How long a repository has to be left alone before it is looked at, ms: pushes come in swarms. */
  readonly quietMs: number;
  /** How long nothing is done for a repository after it was looked at, ms. */
  readonly restMs: number;
}

const defaultTimes: RepackTimes = { quietMs: 5000, restMs: 60_000 };
/** How many repositories a look over all of them takes up. */
const sweepLimit = 1000;

/** Asks for a repack of a repository if one is due; answers whether it is. To look costs a read, and writes nothing. */
async function requestRepack({ change, database, files }: Forge, repositoryId: number): Promise<boolean> {
  if (!files.room.hasRoom() || planRepack(await listMaintainedPacks(database.db, repositoryId)) === null) {
    return false;
  }
  await change(serverDoer("several packs"), (work) =>
    work.enqueue(newJob("repack", { repositoryId }, { key: String(repositoryId) })),
  );
  return true;
}

/** Looks for repositories whose packs are to be put together, whether anybody reads them or not; answers how many there are. */
export async function requestDueRepacks(forge: Forge): Promise<number> {
  let due = 0;
  for (const repositoryId of await repositoriesWithPacks(forge.database.db, sweepLimit)) {
    due += Number(await requestRepack(forge, repositoryId));
  }
  return due;
}

/**
 * Asks for repacks of repositories that somebody reads with more than one pack, once they have been left alone for a
 * while. What it has noticed and not asked for yet goes with the process: the hourly look over all finds it again.
 */
export class RepackNotices implements Disposable {
  readonly #waiting = new Map<number, ReturnType<typeof setTimeout>>();
  /** When each repository was last looked at; forgotten when it may be again. */
  readonly #looked = new Map<number, number>();

  constructor(
    private readonly forge: Forge,
    private readonly times: RepackTimes = defaultTimes,
  ) {}

  /** A repository has more than one pack. */
  notice(repositoryId: number): void {
    if (this.#waiting.has(repositoryId)) {
      return;
    }
    const rest = (this.#looked.get(repositoryId) ?? Number.NEGATIVE_INFINITY) + this.times.restMs - performance.now();
    const timer = setTimeout(() => void this.#look(repositoryId), Math.max(this.times.quietMs, rest));
    timer.unref();
    this.#waiting.set(repositoryId, timer);
  }

  async #look(repositoryId: number): Promise<void> {
    this.#waiting.delete(repositoryId);
    const now = performance.now();
    for (const [id, at] of this.#looked) {
      if (at + this.times.restMs < now) {
        this.#looked.delete(id);
      }
    }
    this.#looked.set(repositoryId, now);
    try {
      await requestRepack(this.forge, repositoryId);
    } catch (error) {
      this.forge.log.debug({ repository: repositoryId, ...describeError(error) }, "A repack could not be asked for");
    }
  }

  [Symbol.dispose](): void {
    this.#waiting.forEach((timer) => clearTimeout(timer));
    this.#waiting.clear();
  }
}
