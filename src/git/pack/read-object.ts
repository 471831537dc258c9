import { fullGC } from "bun:jsc";
import type { GitObject, ObjectType } from "../objects/object-type.ts";
import { applyDelta, deltaResultSize } from "./delta.ts";
import type { ObjectCache } from "./object-cache.ts";
import { PackEntry, type PackFile } from "./pack-file.ts";
import { largestObjectBytes } from "./pack-limits.ts";

/** Cache keys of a pack: room for files of 1 TB and 8192 of them open at once. */
const keysOfPack = 2 ** 40;
/** Deltas on the way to an object; git makes at most 4095 and by default 50. */
export const maxChain = 10_000;

/**
 * After so many bytes of objects, what they left is collected. A thread that reads without a pause gives Bun's timer no turn, and
 * JavaScriptCore waits until its heap has tripled: a push with 740 MB of trees held 444 MiB instead of 297.
 */
const collectedBytes = 32 * 1024 * 1024;
/** What the objects of JavaScript around an object's bytes weigh. */
const overheadBytes = 200;
let uncollectedBytes = 0;

const entry = new PackEntry();
let scratch = new Uint8Array(256 * 1024);
const scratchKeptBytes = 4 * 1024 * 1024;
/** Up to here it is quicker to inflate an object where there are bytes to spare and to copy it from there. */
const copiedBytes = 4096;

/** The range of cache keys that belong to a pack. */
export function cacheKeys(pack: PackFile): readonly [from: number, to: number] {
  return [pack.id * keysOfPack, (pack.id + 1) * keysOfPack];
}

/**
 * The object of the entry at byte `offset`: inflates the base of its chain and applies the deltas on it. What lies on
 * the chain is kept in the cache, since neighbours in history share it. Null for an object of more than `limit` bytes;
 * undefined where it, or something that it is built on, has more than `large`: that is for `readPackedPieces`. Throws CorruptPack.
 */
export function readPackedObjectUpTo(
  pack: PackFile,
  offset: number,
  cache: ObjectCache,
  limit: number,
  large: number,
): GitObject | null | undefined {
  const firstKey = pack.id * keysOfPack;
  let object = cache.find(firstKey + offset);
  const deltas: number[] = [];
  for (let at = offset; object === null; object ??= cache.find(firstKey + at)) {
    pack.readHeader(at, entry);
    if (entry.baseOffset < 0) {
      if (entry.size > limit && isLarger(pack, offset, limit)) {
        return null;
      }
      if (entry.size > large) {
        return undefined;
      }
      object = { type: entry.kind as ObjectType, bytes: inflateWhole(pack) };
      cache.keep(firstKey + at, object);
      break;
    }
    if (deltas.length === maxChain) {
      throw pack.corrupt(`the delta at byte ${offset} has no end of bases`);
    }
    deltas.push(at);
    at = entry.baseOffset;
  }
  while (deltas.length > 0) {
    const at = deltas.pop()!;
    const bytes = resolve(pack, at, object.bytes, deltas.length === 0 ? limit : Number.POSITIVE_INFINITY, large);
    if (bytes === null || bytes === undefined) {
      return bytes;
    }
    object = { type: object.type, bytes };
    cache.keep(firstKey + at, object);
  }
  if (scratch.length > scratchKeptBytes) {
    scratch = new Uint8Array(scratchKeptBytes);
  }
  return object.bytes.length > limit ? null : object;
}

/** Whether an object is so large, when the one at the end of its chain is: before that is inflated. */
function isLarger(pack: PackFile, offset: number, limit: number): boolean {
  const { offset: end } = entry;
  const larger = end === offset || pack.sizeOf(offset) > limit;
  pack.readHeader(end, entry);
  return larger;
}

/**
 * Compares the entry at byte `offset`, and those that it is a delta of, with their CRC-32s: for what is read alone and
 * handed out, since nobody else looks whether it has its oid. Some 1 us an entry; walks do without. Throws CorruptPack.
 */
export function checkPackedObject(pack: PackFile, offset: number): void {
  let steps = 0;
  for (let at = offset; at >= 0; at = entry.baseOffset) {
    pack.readHeader(at, entry);
    pack.checkEntry(at);
    if (steps++ === maxChain) {
      throw pack.corrupt(`the delta at byte ${offset} has no end of bases`);
    }
  }
}

function countBytes(bytes: number): void {
  uncollectedBytes += bytes + overheadBytes;
  if (uncollectedBytes >= collectedBytes) {
    uncollectedBytes = 0;
    fullGC();
  }
}

function inflateWhole(pack: PackFile): Uint8Array {
  countBytes(entry.size);
  if (entry.size <= copiedBytes) {
    pack.inflateEntry(entry, scratch);
    return scratch.slice(0, entry.size);
  }
  // Not set to zero: that takes half as long as it takes to apply a delta. What is not filled fails, and is not handed out.
  const room = Buffer.allocUnsafeSlow(entry.size + 1);
  pack.inflateEntry(entry, room);
  return new Uint8Array(room.buffer, 0, entry.size);
}

/** The object that the delta at `offset` makes of its base; null and undefined as above. */
function resolve(
  pack: PackFile,
  offset: number,
  base: Uint8Array,
  limit: number,
  large: number,
): Uint8Array | null | undefined {
  pack.readHeader(offset, entry);
  const { size } = entry;
  if (size > large) {
    return pack.sizeOf(offset) > limit ? null : undefined;
  }
  if (scratch.length <= size) {
    scratch = new Uint8Array(size * 2);
  }
  pack.inflateEntry(entry, scratch);
  try {
    const resultBytes = deltaResultSize(scratch, 0, size);
    if (resultBytes > largestObjectBytes) {
      throw pack.corrupt(`the delta at byte ${offset} cannot make ${resultBytes} bytes`);
    }
    if (resultBytes > limit) {
      return null;
    }
    if (resultBytes > large) {
      return undefined;
    }
    const result =
      resultBytes <= copiedBytes
        ? new Uint8Array(resultBytes)
        : new Uint8Array(Buffer.allocUnsafeSlow(resultBytes).buffer);
    countBytes(resultBytes);
    applyDelta(base, 0, base.length, scratch, 0, size, result, 0, result.length);
    return result;
  } catch (error) {
    throw pack.asCorrupt(error, offset);
  }
}
