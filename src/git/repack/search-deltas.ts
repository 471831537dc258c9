import { deflate } from "../pack/deflate.ts";
import { DeltaBase, DeltaEncoder, asBuffer } from "../pack/delta-encode.ts";
import type { DeltaSpool } from "./delta-spool.ts";
import { Source, type PackList } from "./pack-list.ts";
import { readWhole } from "./read-whole.ts";

export interface DeltaSearch {
  /** how many objects each one is compared with */
  readonly window: number;
  /** longest chain of deltas */
  readonly maxDepth: number;
  /** whether objects that can be copied whole are compared too; else only those that have to be compressed anew */
  readonly all: boolean;
  /** called now and then with how many objects have been compared */
  readonly onProgress: (done: number, total: number) => void;
}

/** Where the new deltas of a list are: by place, offset and length in the spool and inflated size; 0 for none. */
export interface NewDeltas {
  readonly offsets: Float64Array;
  readonly lengths: Uint32Array;
  readonly sizes: Uint32Array;
}

/** Smaller objects are not worth a delta. */
const smallestBytes = 50;
/** Larger ones would take too much memory: they keep the deltas that they have. */
export const largestSearchedBytes = 16 * 1024 * 1024;
/** How many bytes the objects of the window may take together with their indexes. */
const windowBytes = 64 * 1024 * 1024;
/** A base so many times as large as the object is not tried. */
const largestRatio = 32;

/**
 * Looks for good bases as git does: objects of one type are sorted by the hash of their name and by size, and each is
 * compared with those just before it, which are larger or equal and likely to be versions of the same file. A delta may
 * take at most half the object, less where it would make a chain longer. Found deltas are compressed and spooled.
 * Throws CorruptObject.
 */
export function searchDeltas(list: PackList, spool: DeltaSpool, search: DeltaSearch): NewDeltas {
  const deltas: NewDeltas = {
    offsets: new Float64Array(list.count),
    lengths: new Uint32Array(list.count),
    sizes: new Uint32Array(list.count),
  };
  const candidates = sortedCandidates(list, search.all);
  const window = new Window(list, search, heightsOf(list));
  let lastType = 0;
  for (let done = 0; done < candidates.places.length; done++) {
    const place = candidates.places[done]!;
    if (candidates.types[place] !== lastType) {
      lastType = candidates.types[place]!;
      window.clear();
    }
    const found = window.findBase(place);
    if (found !== null) {
      const compressed = deflate(found.delta, 6);
      deltas.offsets[place] = spool.add(compressed);
      deltas.lengths[place] = compressed.length;
      deltas.sizes[place] = found.delta.length;
    }
    if (done % 256 === 0) {
      search.onProgress(done, candidates.places.length);
    }
  }
  return deltas;
}

function sortedCandidates(list: PackList, all: boolean): { places: Uint32Array; types: Uint8Array } {
  const { db, count, nameHashes, sizes } = list;
  const types = new Uint8Array(count);
  const places = new Uint32Array(count);
  let found = 0;
  for (let place = 0; place < count; place++) {
    const source = list.sources[place]!;
    if (source === Source.rewritten || (all && source === Source.whole)) {
      const size = sizes[place]!;
      if (size >= smallestBytes && size <= largestSearchedBytes) {
        types[place] = db.typeAt(list.positions[place]!);
        places[found++] = place;
      }
    }
  }
  const sorted = places.subarray(0, found);
  sorted.sort(
    (left, right) =>
      types[left]! - types[right]! ||
      nameHashes[left]! - nameHashes[right]! ||
      sizes[right]! - sizes[left]! ||
      left - right,
  );
  return { places: sorted, types };
}

/** How many stored deltas are built on an object at most, one on the other: so much room its own chain has to leave. */
function heightsOf({ count, bases }: PackList): Uint16Array {
  const heights = new Uint16Array(count);
  for (let first = 0; first < count; first++) {
    for (let at = first, height = 1; bases[at]! >= 0; at = bases[at]!, height++) {
      const base = bases[at]!;
      if (heights[base]! >= height) {
        break;
      }
      heights[base] = height;
    }
  }
  return heights;
}

const nothing = Buffer.alloc(0);

interface Slot {
  place: number;
  bytes: Buffer;
  readonly base: DeltaBase;
}

/** The objects last looked at, the most promising last. Their indexes are filled again and again. */
class Window {
  readonly #encoder = new DeltaEncoder();
  readonly #slots: Slot[] = [];
  readonly #free: DeltaBase[] = [];
  #best = new Uint8Array(4096);

  constructor(
    private readonly list: PackList,
    private readonly search: DeltaSearch,
    private readonly heights: Uint16Array,
  ) {}

  clear(): void {
    while (this.#slots.length > 0) {
      this.#drop();
    }
  }

  /** Looks for a base, enters it in the list, and takes the object into the window. The delta is valid until the next call. */
  findBase(place: number): { delta: Uint8Array } | null {
    const { list } = this;
    const bytes = asBuffer(readWhole(list.db, list.positions[place]!).bytes);
    const best = this.#compare(place, bytes);
    if (best !== null) {
      list.bases[place] = best.slot.place;
      list.depths[place] = list.depths[best.slot.place]! + 1;
      list.sources[place] = Source.newDelta;
      // A base that was good once will be good again.
      this.#slots.splice(this.#slots.indexOf(best.slot), 1);
      this.#slots.push(best.slot);
    }
    if (list.depths[place]! < this.search.maxDepth) {
      this.#take(place, bytes, best !== null);
    }
    return best === null ? null : { delta: this.#best.subarray(0, best.length) };
  }

  #compare(place: number, bytes: Buffer): { slot: Slot; length: number } | null {
    const { list, search } = this;
    const maxDepth = search.maxDepth - this.heights[place]!;
    let best: { slot: Slot; length: number; depth: number } | null = null;
    for (let index = this.#slots.length - 1; index >= 0; index--) {
      const slot = this.#slots[index]!;
      const depth = list.depths[slot.place]!;
      if (depth >= maxDepth) {
        continue;
      }
      const allowed = best === null ? (bytes.length >> 1) - list.db.format.oidBytes : best.length;
      const limit = Math.floor((allowed * (maxDepth - depth)) / (maxDepth - (best === null ? 1 : best.depth) + 1));
      const growth = bytes.length - slot.bytes.length;
      if (limit <= 0 || growth >= limit || bytes.length * largestRatio < slot.bytes.length) {
        continue;
      }
      const delta = this.#encoder.encode(slot.base, bytes, limit);
      if (delta === null || (best !== null && delta.length === best.length && depth + 1 >= best.depth)) {
        continue;
      }
      if (this.#best.length < delta.length) {
        this.#best = new Uint8Array(delta.length * 2);
      }
      this.#best.set(delta);
      best = { slot, length: delta.length, depth: depth + 1 };
    }
    return best;
  }

  /** The best base of the last object stays the one to be tried first. */
  #take(place: number, bytes: Buffer, behindBest: boolean): void {
    const slot: Slot = { place, bytes, base: this.#free.pop() ?? new DeltaBase(nothing) };
    slot.base.fill(bytes);
    if (behindBest) {
      this.#slots.splice(this.#slots.length - 1, 0, slot);
    } else {
      this.#slots.push(slot);
    }
    let held = this.#slots.reduce((sum, { bytes: own, base }) => sum + own.length + base.heldBytes, 0);
    while (this.#slots.length > this.search.window || (held > windowBytes && this.#slots.length > 1)) {
      held -= this.#slots[0]!.bytes.length + this.#slots[0]!.base.heldBytes;
      this.#drop();
    }
  }

  #drop(): void {
    const { base } = this.#slots.shift()!;
    base.fill(nothing);
    this.#free.push(base);
  }
}
