import { FairShare } from "../../lib/fair-share.ts";
import { firstHeldBytes, firstWindowBytes } from "../job/chunk-bytes.ts";

/** How many bytes a stream holds for each byte of its window, see `pieceBytes`. */
const heldPerCredit = 2;

/** However many streams there are, one whose reader keeps up may have such a window, while there is anything to lend. */
const smallestShareBytes = 64 * 1024;

/** Streams that may wait for one of the others to end. */
const maxWaiting = { waiting: 512, waitingEach: 256 };

/**
 * Bounds what all streams together hold of what their readers have not taken. Two thirds of the budget are a small window
 * for each stream (so there are only so many streams, shared between principals), the rest is lent to those whose readers keep up, and in equal
 * parts: windows become smaller when more streams come, so that many take no more memory than a few.
 */
export class StreamBudget {
  readonly #places: FairShare;
  readonly #lendableBytes: number;
  #streams = 0;
  #lent = 0;

  /** bytes: for all streams together; windowBytes: for one stream */
  constructor(
    bytes: number,
    private readonly windowBytes: number,
  ) {
    const places = Math.max(1, Math.floor((bytes * 2) / 3 / firstHeldBytes));
    this.#places = new FairShare({ what: "downloads", places, placesEach: places, ...maxWaiting });
    this.#lendableBytes = Math.floor(bytes / 3 / heldPerCredit);
  }

  /** The window of a new stream of this principal; null when it would have to wait for a place. */
  tryOpen(principal: string): StreamWindow | null {
    const place = this.#places.tryTake(principal);
    return place === null ? null : this.#open(place);
  }

  /** Waits until the budget can feed another stream of this principal. Throws Busy, and the signal's reason. */
  async open(principal: string, signal: AbortSignal): Promise<StreamWindow> {
    return this.#open(await this.#places.take(principal, signal));
  }

  #open(place: Disposable): StreamWindow {
    this.#streams++;
    return new StreamWindow(this, place, Math.min(firstWindowBytes, this.windowBytes));
  }

  /** How large one stream's window may be now. */
  get share(): number {
    return Math.min(this.windowBytes, Math.max(smallestShareBytes, Math.floor(this.#lendableBytes / this.#streams)));
  }

  /** Lends at most so many bytes. */
  lend(bytes: number): number {
    const lent = Math.min(bytes, this.#lendableBytes - this.#lent);
    this.#lent += lent;
    return lent;
  }

  giveBack(bytes: number): void {
    this.#lent -= bytes;
  }

  close(): void {
    this.#streams--;
  }
}

/** The credit of one stream. It grows while its reader takes what is produced, as a TCP window does, up to the share of each. */
export class StreamWindow {
  #size: number;
  #lent = 0;
  #closed = false;

  constructor(
    private readonly budget: StreamBudget,
    private readonly place: Disposable,
    initial: number,
  ) {
    this.#size = initial;
  }

  /** How many bytes may be in flight now. */
  get size(): number {
    return this.#size;
  }

  /** Says that the reader took so many bytes; returns the credit to give the producer for it, which may be none. */
  taken(bytes: number): number {
    const beyond = this.#size - this.budget.share;
    const change = beyond > 0 ? -Math.min(beyond, bytes, this.#lent) : this.budget.lend(Math.min(this.#size, -beyond));
    if (change < 0) {
      this.budget.giveBack(-change);
    }
    this.#size += change;
    this.#lent += change;
    return bytes + change;
  }

  close(): void {
    if (!this.#closed) {
      this.#closed = true;
      this.budget.giveBack(this.#lent);
      this.budget.close();
      this.place[Symbol.dispose]();
    }
  }
}
