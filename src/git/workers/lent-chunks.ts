import { countGarbage } from "../../lib/garbage.ts";
import { largestPieceBytes } from "./chunk-bytes.ts";

/**
 * Below this a copy that changes hands costs less than it saves to lend one, and readers that do not keep up, who get
 * small pieces, would hold large buffers.
 */
export const smallestLentBytes = 96 * 1024;

/** A chunk in memory that both threads see, as a worker hands it on. */
export interface LentChunk {
  readonly slot: number;
  readonly length: number;
  /** only the first time that the slot is used */
  readonly memory: SharedArrayBuffer | null;
}

/**
 * The worker's side of chunks that the main thread gives back when they are read: made anew for each chunk, buffers that
 * move between threads are most of what a large clone costs, in pages to clear, to give back and to collect.
 */
export class ChunkLender {
  readonly #slots = new Map<number, Uint8Array>();
  readonly #free: number[] = [];
  #lastSlot = 0;

  /** Copies at most `largestPieceBytes` into a slot, which stays as it is until it is given back. */
  lend(bytes: Uint8Array): LentChunk {
    const { length } = bytes;
    const free = this.#free.pop();
    const known = free === undefined ? undefined : this.#slots.get(free);
    if (free !== undefined && known !== undefined) {
      known.set(bytes);
      return { slot: free, length, memory: null };
    }
    const memory = new SharedArrayBuffer(largestPieceBytes);
    const target = new Uint8Array(memory);
    target.set(bytes);
    const slot = ++this.#lastSlot;
    this.#slots.set(slot, target);
    return { slot, length, memory };
  }

  takeBack(slot: number): void {
    if (this.#slots.has(slot)) {
      this.#free.push(slot);
    }
  }

  /** For slots that will not be given back. */
  forget(slots: readonly number[]): void {
    for (const slot of slots) {
      this.#slots.delete(slot);
    }
    countGarbage(slots.length * largestPieceBytes);
  }
}

/** More slots than this are not kept when half of them are idle. */
const keptSlots = 32;

/** The main thread's side: what one worker has lent. */
export class ChunkBorrower {
  readonly #slots = new Map<number, Uint8Array>();
  #borrowed = 0;

  /** The bytes of a chunk. */
  take({ slot, length, memory }: LentChunk): Uint8Array {
    let bytes = this.#slots.get(slot);
    if (memory !== null || bytes === undefined) {
      bytes = new Uint8Array(memory ?? new SharedArrayBuffer(length));
      this.#slots.set(slot, bytes);
    }
    this.#borrowed++;
    return bytes.subarray(0, length);
  }

  /** Whether a slot that is read is to be given back to the worker; else it is to be forgotten there, too. */
  isKept(slot: number): boolean {
    this.#borrowed--;
    const kept = this.#slots.size <= keptSlots || this.#borrowed * 2 >= this.#slots.size;
    if (!kept) {
      this.#slots.delete(slot);
    }
    return kept;
  }

  /** For slots that someone may still be reading who cannot be asked: they are never used again. */
  drop(slots: readonly number[]): void {
    for (const slot of slots) {
      this.#borrowed--;
      this.#slots.delete(slot);
    }
  }
}
