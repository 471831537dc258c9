import { describeError } from "../../db/pg-errors.ts";
import { serverDoer } from "../doer.ts";
import type { Forge } from "../forge.ts";
import { addDownloads } from "./queries.ts";

interface Batch {
  readonly counts: Map<number, number>;
  readonly written: Promise<void>;
}

/**
 * Counts downloads of attachments. While one batch is written, the next one is gathered, so that a file that everybody
 * wants costs one write at a time. What cannot be counted is downloaded all the same.
 */
export class DownloadCounts {
  #open: Batch | null = null;
  #last: Promise<void> = Promise.resolve();

  constructor(private readonly forge: Pick<Forge, "change" | "log">) {}

  /** Resolves when the download is counted, or could not be. */
  count(attachmentId: number): Promise<void> {
    this.#open ??= this.#begin();
    const { counts, written } = this.#open;
    counts.set(attachmentId, (counts.get(attachmentId) ?? 0) + 1);
    return written;
  }

  #begin(): Batch {
    const counts = new Map<number, number>();
    this.#last = this.#last.then(() => {
      this.#open = null;
      return this.#write(counts);
    });
    return { counts, written: this.#last };
  }

  async #write(counts: ReadonlyMap<number, number>): Promise<void> {
    const { change, log } = this.forge;
    try {
      await change(serverDoer("count downloads"), (work) => addDownloads(work.tx, counts));
    } catch (error) {
      log.warn(describeError(error), "Downloads could not be counted");
    }
  }
}
