import { compileLightly } from "../../lib/compile-lightly.ts";
import type { GitObject, ObjectType } from "../objects/object-type.ts";
import { applyDelta, deltaResultSize } from "./delta.ts";
import type { ObjectCache } from "./object-cache.ts";
import { PackEntry, type PackFile } from "./pack-file.ts";
import { cacheKeys } from "./read-object.ts";

/** Buffers for objects up to this size are kept; a larger one is read as any other object. */
const largestBytes = 1024 * 1024;
/** A longer chain has bases that others share. */
const longestChain = 16;
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
  readonly #chain: number[] = [];

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
    const chain = this.#chain;
    chain.length = 0;
    let total = 0;
    for (let at = offset; base === null; base = cache.find(firstKey + at)) {
      pack.readHeader(at, entry);
      chain.push(at);
      total = Math.max(total, entry.size);
      if (entry.baseOffset < 0) {
        break;
      }
      at = entry.baseOffset;
      if (this.#isMet(firstKey + at) || chain.length === longestChain) {
        return null;
      }
    }
    if (total > largestBytes || (base !== null && base.bytes.length > largestBytes)) {
      return null;
    }
    return this.#resolve(pack, base);
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
    const chain = this.#chain;
    // A base and its result lie beside each other; the next result takes the place of the first where it fits.
    objects = objects.length === 0 ? new Uint8Array(3 * largestBytes) : objects;
    deltas = deltas.length === 0 ? new Uint8Array(largestBytes + 1) : deltas;
    let bytes = base?.bytes ?? objects;
    let size = bytes.length;
    let at = 0;
    let type = base?.type;
    for (let index = chain.length - 1; index >= 0; index--) {
      pack.readHeader(chain[index]!, entry);
      if (type === undefined) {
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

compileLightly(UncachedReader);
