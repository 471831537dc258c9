import { parseWireError } from "../lib/wire-error.ts";
import { TaskTooLong, WorkThreads } from "../lib/work-threads.ts";
import { BadPackage } from "./shared/bad-package.ts";
import type { OpenPgpPair } from "./shared/openpgp.ts";
import type { FromPackageWorker, PackageReadings, ToPackageWorker } from "./package-readings.ts";

/** An archive of the largest size that settings allow takes a minute. */
const timeLimitMs = 600_000;
const idleMs = 60_000;
/** One principal has one thread, so two that read large packages leave one for everybody else. */
const share = { what: "packages to read", places: 3, placesEach: 1, waiting: 1000, waitingEach: 200 };

/**
 * Reads the files of packages in threads that principals share: a few kilobytes can unpack to as much as the limits allow, and a header
 * can have as many values. A small package takes a message there and back, a tenth of a millisecond.
 */
export class PackageReader implements Disposable {
  readonly #threads: WorkThreads<ToPackageWorker, FromPackageWorker>;

  /** `worker` is the entry point, see `src/workers.ts`. */
  constructor(worker: URL | string) {
    this.#threads = new WorkThreads({ worker, timeLimitMs, idleMs, share });
  }

  /** Does a reading of `package-readings.ts`. Throws what it throws, Busy, and the signal's reason. */
  async read<Name extends keyof PackageReadings>(
    signal: AbortSignal,
    reading: Name,
    ...args: Parameters<PackageReadings[Name]>
  ): Promise<Awaited<ReturnType<PackageReadings[Name]>>> {
    const answer = await this.#threads.run({ reading, args }, [], signal).catch((error: unknown) => {
      throw error instanceof TaskTooLong ? new BadPackage("The package takes too long to read") : error;
    });
    if ("error" in answer) {
      throw parseWireError(answer.error, new Map());
    }
    return answer.value as Awaited<ReturnType<PackageReadings[Name]>>;
  }

  /** A new pair of keys for a registry of this name. It takes half a second of a thread. */
  makePair(name: string): Promise<OpenPgpPair> {
    // Nobody's own: others wait for the same pair.
    return this.read(new AbortController().signal, "openPgpPair", name);
  }

  [Symbol.dispose](): void {
    this.#threads[Symbol.dispose]();
  }
}
