import { countGarbage } from "../../lib/garbage.ts";
import { firstHeldBytes, firstWindowBytes } from "./chunk-bytes.ts";
import { EngineBusy } from "./errors.ts";

/** What a stream holds for each byte of its window, see `pieceBytes`. */
const heldPerCredit = 1.5;

/** From so many streams on, their chunks pile up as garbage of the main thread until it is collected on purpose. */
const crowd = 32;

/**
 * Bounds what all streams together hold of what their readers have not taken. Half of the budget is a small window for
 * each stream (so there are only so many streams), the other half is lent to those whose readers keep up.
 */
export class StreamBudget {
  readonly #maxStreams: number;
  #streams = 0;
  #lendable: number;

  /** bytes: for all streams together; windowBytes: for one stream */
  constructor(
    bytes: number,
    readonly windowBytes: number,
  ) {
    this.#maxStreams = Math.max(1, Math.floor(bytes / 2 / firstHeldBytes));
    this.#lendable = Math.floor(bytes / 2 / heldPerCredit);
  }

  /** Throws EngineBusy when there are as many streams as the budget can feed. */
  open(): StreamWindow {
    if (this.#streams >= this.#maxStreams) {
      throw new EngineBusy(this.#streams);
    }
    this.#streams++;
    return new StreamWindow(this, Math.min(firstWindowBytes, this.windowBytes));
  }

  /** Lends at most so many bytes; what it lends comes back with `close`. */
  lend(bytes: number): number {
    const lent = Math.min(bytes, this.#lendable);
    this.#lendable -= lent;
    return lent;
  }

  /** Notes that a reader took so many bytes. Collecting takes some 80 ms: it is done once for 64 MB, and in a crowd only. */
  delivered(bytes: number): void {
    if (this.#streams > crowd) {
      countGarbage(bytes / 2);
    }
  }

  close(lent: number): void {
    this.#streams--;
    this.#lendable += lent;
  }
}

/** The credit of one stream. It grows while its reader takes what is produced, as a TCP window does. */
export class StreamWindow {
  #size: number;
  #lent = 0;
  #closed = false;

  constructor(
    private readonly budget: StreamBudget,
    initial: number,
  ) {
    this.#size = initial;
  }

  /** What may be in flight now, bytes. */
  get size(): number {
    return this.#size;
  }

  /** Says that the reader took so many bytes; returns the credit to give the producer for it. */
  taken(bytes: number): number {
    this.budget.delivered(bytes);
    const more = this.budget.lend(Math.min(this.#size, this.budget.windowBytes - this.#size));
    this.#size += more;
    this.#lent += more;
    return bytes + more;
  }

  close(): void {
    if (!this.#closed) {
      this.#closed = true;
      this.budget.close(this.#lent);
    }
  }
}
