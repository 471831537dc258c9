import type { GitObject, ObjectType } from "../objects/object-type.ts";
import { applyDelta, deltaResultSize } from "./delta.ts";
import type { ObjectCache } from "./object-cache.ts";
import { PackEntry, type PackFile } from "./pack-file.ts";
import { cacheKeys } from "./read-object.ts";

/** Buffers for objects up to this size are kept; a larger one is read as any other object. */
const largestBytes = 1024 * 1024;
/** A longer chain has bases that others share, where more than one version of something is read. */
const longestOfMany = 16;
/** Where only one is, no chain is too long; git makes at most 4095. */
const longestOfOne = 4096;
/** Entries that are remembered; beyond it all are forgotten, so that some are read once more than needed. */
const maxMet = 200_000;

const entry = new PackEntry();
let objects = new Uint8Array(0);
let deltas = new Uint8Array(0);

/**
 * Reads objects that are hardly needed again, such as those that are sent whole because the base of their delta is not
 * sent: into buffers that are filled again, since new memory for each costs as much as inflating it. What turns out to be
 * the base of several is read through the cache from then on.
 */
export class UncachedReader {
  /** the bases met so far, by cache key */
  readonly #met = new Set<number>();
  /** the entries on the way to an object, the object's first */
  #offsets = new Float64Array(64);
  #dataStarts = new Float64Array(64);
  #sizes = new Float64Array(64);
  #length = 0;
  readonly #isOfOne: boolean;

  /**
   * `isOfOne`: one version of each thing is read, so that what lies on the way to it helps nobody else; what took several
   * deltas is put into the cache, for those who read it again.
   */
  constructor({ isOfOne = false }: { readonly isOfOne?: boolean } = {}) {
    this.#isOfOne = isOfOne;
  }

  /**
   * The object of the entry at byte `offset`; its bytes are valid until the next call of any reader. Null for one that is
   * better read through the cache. Throws CorruptPack.
   */
  find(pack: PackFile, offset: number, cache: ObjectCache): GitObject | null {
    const [firstKey] = cacheKeys(pack);
    let base = cache.find(firstKey + offset);
    if (base !== null) {
      return base;
    }
    this.#length = 0;
    const longest = this.#isOfOne ? longestOfOne : longestOfMany;
    let total = 0;
    for (let at = offset; base === null; base = cache.find(firstKey + at)) {
      pack.readHeader(at, entry);
      this.note();
      total = Math.max(total, entry.size);
      if (entry.baseOffset < 0) {
        break;
      }
      at = entry.baseOffset;
      if (this.#isMet(firstKey + at) || this.#length === longest) {
        return null;
      }
    }
    if (total > largestBytes || (base !== null && base.bytes.length > largestBytes)) {
      return null;
    }
    const object = this.#resolve(pack, base);
    if (this.#isOfOne && object !== null && this.#length > 2) {
      cache.keep(firstKey + offset, { type: object.type, bytes: object.bytes.slice() });
    }
    return object;
  }

  /** Adds the entry whose header was read to the way. */
  private note(): void {
    const number = this.#length++;
    if (number === this.#offsets.length) {
      [this.#offsets, this.#dataStarts, this.#sizes] = [
        doubled(this.#offsets),
        doubled(this.#dataStarts),
        doubled(this.#sizes),
      ];
    }
    this.#offsets[number] = entry.offset;
    this.#dataStarts[number] = entry.dataStart;
    this.#sizes[number] = entry.size;
  }

  /** Notes a base; true if it was noted before. */
  #isMet(key: number): boolean {
    if (this.#met.has(key)) {
      return true;
    }
    if (this.#met.size === maxMet) {
      this.#met.clear();
    }
    this.#met.add(key);
    return false;
  }

  /** Applies the chain to `base`, or to the whole object at its end. Null if something on the way is too large. */
  #resolve(pack: PackFile, base: GitObject | null): GitObject | null {
    // A base and its result lie beside each other; the next result takes the place of the first where it fits.
    objects = objects.length === 0 ? new Uint8Array(3 * largestBytes) : objects;
    deltas = deltas.length === 0 ? new Uint8Array(largestBytes + 1) : deltas;
    let bytes = base?.bytes ?? objects;
    let size = bytes.length;
    let at = 0;
    let type = base?.type;
    for (let index = this.#length - 1; index >= 0; index--) {
      entry.offset = this.#offsets[index]!;
      entry.dataStart = this.#dataStarts[index]!;
      entry.size = this.#sizes[index]!;
      if (type === undefined) {
        // The last header that was read is that of the whole object at the end.
        type = entry.kind as ObjectType;
        size = entry.size;
        pack.inflateEntry(entry, objects);
        continue;
      }
      const { offset, size: deltaBytes } = entry;
      pack.inflateEntry(entry, deltas);
      try {
        const resultBytes = deltaResultSize(deltas, 0, deltaBytes);
        if (resultBytes > largestBytes) {
          return null;
        }
        const target = bytes !== objects || at >= resultBytes ? 0 : at + size;
        applyDelta(bytes, at, size, deltas, 0, deltaBytes, objects, target, resultBytes);
        bytes = objects;
        at = target;
        size = resultBytes;
      } catch (error) {
        throw pack.asCorrupt(error, offset);
      }
    }
    return type === undefined ? null : { type, bytes: bytes.subarray(at, at + size) };
  }
}

function doubled(numbers: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const room = new Float64Array(2 * numbers.length);
  room.set(numbers);
  return room;
}
