import { EngineBusy } from "../job/errors.ts";
import { largeBlobBytes } from "./pack-limits.ts";
import type { SpilledObject } from "./spilled-object.ts";

/** Each holds some 300 KB. */
const maxReads = 128;
/** Files that are made or read at once, each of an object that is the base of a delta, and at times another while it is made. */
const maxBases = 8;
/** How long one stays that nobody reads: who has looked at the beginning mostly wants the rest, and who reads in parts the next one. */
const keptMs = 5000;
/** How many bytes of unread bases are kept. The last one stays whatever its size, others only within this. */
const keptBytes = 256 * 1024 * 1024;

interface Base {
  readonly steps: Generator<Uint8Array, SpilledObject, void>;
  object: SpilledObject | null;
  failure: { readonly error: unknown } | null;
  readers: number;
  timer: Timer | null;
}

/** Bounds for reading large objects in pieces in one thread, and the files that several readers share. */
export class LargeReads implements Disposable {
  readonly #bases = new Map<string, Base>();
  #reads = 0;

  /** `fromBytes`: objects beyond that are large */
  constructor(
    readonly fromBytes: number = largeBlobBytes,
    private readonly unreadBytes: number = keptBytes,
  ) {}

  /** Counts a read; dispose of it at the end. Throws EngineBusy. */
  begin(): Disposable {
    if (this.#reads >= maxReads) {
      throw new EngineBusy(this.#reads);
    }
    this.#reads++;
    return { [Symbol.dispose]: () => void this.#reads-- };
  }

  /**
   * Returns the object with this name. Of the callers that want it, the one that has its turn makes it. Call `release`
   * once for each call. A caller that leaves early leaves the work to the others. Throws EngineBusy, and what `make`
   * throws.
   */
  *take(
    name: string,
    make: () => Generator<Uint8Array, SpilledObject, void>,
  ): Generator<Uint8Array, SpilledObject, void> {
    const base = this.#bases.get(name) ?? this.#begin(name, make);
    base.readers++;
    clearTimeout(base.timer ?? undefined);
    let isTaken = false;
    try {
      while (base.object === null) {
        const piece = this.#step(base);
        if (piece !== null) {
          yield piece;
        }
      }
      isTaken = true;
      return base.object;
    } finally {
      if (!isTaken) {
        this.#release(name, base);
      }
    }
  }

  release(name: string): void {
    const base = this.#bases.get(name);
    if (base !== undefined) {
      this.#release(name, base);
    }
  }

  /** Drops what nobody reads. */
  [Symbol.dispose](): void {
    for (const [name, base] of this.#bases) {
      this.#dropIfUnread(name, base);
    }
  }

  #begin(name: string, make: () => Generator<Uint8Array, SpilledObject, void>): Base {
    if (this.#bases.size >= maxBases) {
      this[Symbol.dispose]();
    }
    if (this.#bases.size >= maxBases) {
      throw new EngineBusy(this.#bases.size);
    }
    const base: Base = { steps: make(), object: null, failure: null, readers: 0, timer: null };
    this.#bases.set(name, base);
    return base;
  }

  /** Null when the object is there after it. */
  #step(base: Base): Uint8Array | null {
    if (base.failure !== null) {
      throw base.failure.error;
    }
    try {
      const step = base.steps.next();
      if (step.done !== true) {
        return step.value;
      }
      base.object = step.value;
      return null;
    } catch (error) {
      base.failure = { error };
      throw error;
    }
  }

  #release(name: string, base: Base): void {
    base.readers--;
    if (base.object === null) {
      this.#dropIfUnread(name, base);
    } else if (base.readers === 0) {
      this.#dropOlderThan(name, base);
      base.timer = setTimeout(() => this.#dropIfUnread(name, base), keptMs);
      base.timer.unref();
    }
  }

  /** Makes room for one that is left, which becomes the last in the order. A thread that is busy for minutes has no timers. */
  #dropOlderThan(name: string, base: Base): void {
    this.#bases.delete(name);
    let bytes = 0;
    for (const [olderName, older] of [...this.#bases].toReversed()) {
      const size = older.readers === 0 && older.object !== null ? older.object.size : 0;
      if (bytes + size > this.unreadBytes) {
        this.#dropIfUnread(olderName, older);
      } else {
        bytes += size;
      }
    }
    this.#bases.set(name, base);
  }

  #dropIfUnread(name: string, base: Base): void {
    if (base.readers === 0) {
      clearTimeout(base.timer ?? undefined);
      this.#bases.delete(name);
      base.steps.return(undefined as never);
      base.object?.[Symbol.dispose]();
    }
  }
}
