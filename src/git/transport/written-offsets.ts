import { Bitset } from "../graph/bitset.ts";

/** Bytes of a number in a Map, about. */
const sparseEntryBytes = 40;

/** A list of offsets, four bytes for each object of the database, eight in a pack of more than 4 GB. */
class OffsetList {
  users = 1;
  #offsets: Uint32Array | Float64Array;

  constructor(size: number) {
    this.#offsets = new Uint32Array(size);
  }

  get(position: number): number {
    return this.#offsets[position]!;
  }

  set(position: number, offset: number): void {
    if (offset > 0xffff_ffff && this.#offsets instanceof Uint32Array) {
      this.#offsets = Float64Array.from(this.#offsets);
    }
    this.#offsets[position] = offset;
  }
}

/** Bounds what all packs that are being written in a thread hold to know where their objects start. */
export class OffsetMemory {
  readonly #shared = new WeakMap<Bitset, OffsetList>();
  #free: number;

  /** limitBytes: for all packs together, beside a bit for each object of the database in each of them */
  constructor(limitBytes: number) {
    this.#free = limitBytes;
  }

  /**
   * For a pack of `count` objects of a database of `size`. `answer`, if there is one, names packs that are equal byte by
   * byte: clones of one state that run at the same time have one list.
   */
  open(count: number, size: number, answer: Bitset | null): WrittenOffsets {
    const sparseBytes = sparseEntryBytes * count;
    if (sparseBytes < 4 * size) {
      return this.#take(sparseBytes)
        ? new WrittenOffsets(null, new Map(), null, () => (this.#free += sparseBytes))
        : unknown(size);
    }
    let list = answer === null ? undefined : this.#shared.get(answer);
    if (list !== undefined) {
      list.users++;
    } else if (this.#take(4 * size)) {
      list = new OffsetList(size);
      if (answer !== null) {
        this.#shared.set(answer, list);
      }
    } else {
      return unknown(size);
    }
    const held = list;
    return new WrittenOffsets(new Bitset(size), null, held, () => {
      if (--held.users === 0) {
        this.#free += 4 * size;
        if (answer !== null) {
          this.#shared.delete(answer);
        }
      }
    });
  }

  #take(bytes: number): boolean {
    const fits = bytes <= this.#free;
    this.#free -= fits ? bytes : 0;
    return fits;
  }
}

function unknown(size: number): WrittenOffsets {
  return new WrittenOffsets(new Bitset(size), null, null, () => {});
}

/**
 * Which objects of a new pack are written, and where they start, unless there was no memory for that: then deltas name
 * their bases by oid.
 */
export class WrittenOffsets implements Disposable {
  /** whether `get` answers offsets */
  readonly areKnown: boolean;
  #isOpen = true;

  constructor(
    private readonly written: Bitset | null,
    private readonly few: Map<number, number> | null,
    private readonly list: OffsetList | null,
    private readonly release: () => void,
  ) {
    this.areKnown = few !== null || list !== null;
  }

  /** Where an object starts, 0 for one that is not written, 1 for one of which no more is known. */
  get(position: number): number {
    if (this.few !== null) {
      return this.few.get(position) ?? 0;
    }
    if (this.written?.has(position) !== true) {
      return 0;
    }
    return this.list === null ? 1 : this.list.get(position);
  }

  set(position: number, offset: number): void {
    this.written?.add(position);
    this.few?.set(position, offset);
    this.list?.set(position, offset);
  }

  [Symbol.dispose](): void {
    if (this.#isOpen) {
      this.#isOpen = false;
      this.release();
    }
  }
}
