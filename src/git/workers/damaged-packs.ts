import { existsSync } from "node:fs";
import type { Logger } from "../../lib/log.ts";
import { repositoryOf } from "../job/repository-view.ts";
import { CorruptPack } from "../pack/errors.ts";
import { commandText } from "../../lib/command-text.ts";

/** The stored packs that turned out to be damaged since the engine was made. */
export class DamagedPacks {
  readonly #paths = new Set<string>();

  constructor(private readonly log: Logger) {}

  /** How many there are. */
  get count(): number {
    return this.#paths.size;
  }

  /** Notes what a request ended with, if that is damage, and logs it once for each pack. `viewKey`: of the view that was read. */
  note(viewKey: string, error: Error): void {
    // One that is gone was most likely replaced while it was being opened; if it was not, `doctor` says so.
    if (error instanceof CorruptPack && !this.#paths.has(error.path) && existsSync(error.path)) {
      this.#paths.add(error.path);
      this.log.error(
        { pack: error.path, repository: repositoryOf(viewKey), reason: error.message },
        `A stored pack is damaged: put it back from a backup and start the server again; "${commandText("doctor")}" compares all packs`,
      );
    }
  }
}
