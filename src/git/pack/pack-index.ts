import { readFileSync } from "node:fs";
import type { ObjectFormat } from "../objects/object-format.ts";
import { compareOids } from "../objects/oid.ts";
import { CorruptPack } from "./errors.ts";

/**
 * The index beside a pack, version 2: `\xfftOc`, the version, 256 running counts by first oid byte, all oids sorted,
 * their CRC-32s, their 32-bit offsets (with bit 31 set: a place in the table of 64-bit offsets that follows), the pack's
 * checksum and the index's own. The place of an oid in the sorted list is called its position.
 */
const headerBytes = 8;
const fanoutBytes = 1024;
/** A bucket of the fanout larger than this is searched by halving. */
const linearSearchLimit = 16;
/**
 * An index of fewer entries has a fanout by one byte, of 1 KB. That by two bytes has 256 KB: a repository of five hundred
 * small packs, as so many pushes leave them, would take 128 MB in each thread that opens it, and most of the time to open.
 */
const largeIndexEntries = 16_384;

export class PackIndex {
  readonly entryCount: number;
  /** Memory that this index holds, in bytes. */
  readonly heldBytes: number;
  private readonly view: DataView;
  private readonly oidsAt = headerBytes + fanoutBytes;
  private readonly offsetsAt: number;
  private readonly largeOffsetsAt: number;
  private readonly largeOffsetCount: number;
  /** How many bytes of an oid choose its bucket: one or two. */
  private readonly prefixBytes: number;
  /** First position of each value of these bytes, and the number of entries: buckets of some oids. */
  private readonly fanout: Uint32Array;
  /** The four oid bytes behind these by position: dense, so that a lookup touches one cache line instead of one an oid. */
  private readonly keys: Uint32Array;

  private constructor(
    private readonly format: ObjectFormat,
    readonly path: string,
    readonly bytes: Uint8Array,
  ) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const { oidBytes } = format;
    this.demand(bytes.length >= this.oidsAt + 2 * oidBytes, "it is cut off");
    this.demand(this.view.getUint32(0) === 0xff744f63 && this.view.getUint32(4) === 2, "it is no index of version 2");
    this.entryCount = this.view.getUint32(headerBytes + 4 * 255);
    this.offsetsAt = this.oidsAt + this.entryCount * (oidBytes + 4);
    this.largeOffsetsAt = this.offsetsAt + 4 * this.entryCount;
    this.largeOffsetCount = (bytes.length - this.largeOffsetsAt - 2 * oidBytes) / 8;
    this.demand(
      this.largeOffsetCount >= 0 && Number.isInteger(this.largeOffsetCount),
      "its size does not fit its counts",
    );
    this.prefixBytes = this.entryCount < largeIndexEntries ? 1 : 2;
    this.fanout = new Uint32Array(256 ** this.prefixBytes + 1);
    this.keys = new Uint32Array(this.entryCount);
    this.buildFanout();
    this.heldBytes = bytes.length + this.keys.byteLength + this.fanout.byteLength;
  }

  /** Reads an index file, and compares its checksum: one wrong bit may lead from an oid to another object. Throws CorruptPack. */
  static open(format: ObjectFormat, path: string): PackIndex {
    let bytes: Uint8Array;
    try {
      bytes = readFileSync(path);
    } catch (error) {
      throw new CorruptPack(`Cannot read the pack index "${path}"`, path, { cause: error });
    }
    const index = new PackIndex(format, path, bytes);
    const checksum = new Uint8Array(format.oidBytes);
    format.hashInto(bytes.subarray(0, -format.oidBytes), checksum);
    index.demand(
      Buffer.compare(checksum, bytes.subarray(-format.oidBytes)) === 0,
      "its checksum does not match its content",
    );
    return index;
  }

  /** The position of the oid at `bytes[at]`, or -1. */
  find(bytes: Uint8Array, at: number): number {
    const prefix = this.prefixAt(bytes, at);
    const key = wordAt(bytes, at + this.prefixBytes);
    const { keys } = this;
    let position = this.fanout[prefix]!;
    const end = this.fanout[prefix + 1]!;
    if (end - position > linearSearchLimit) {
      position = this.firstKeyAtLeast(key, position, end);
    }
    for (; position < end && keys[position]! <= key; position++) {
      if (keys[position] === key && this.equalsAt(position, bytes, at)) {
        return position;
      }
    }
    return -1;
  }

  /** The first position whose oid is not below `oid`; the number of entries when there is none. */
  firstAtLeast(oid: Uint8Array): number {
    const prefix = this.prefixAt(oid, 0);
    let low = this.fanout[prefix]!;
    let high = this.fanout[prefix + 1]!;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareOids(this.bytes, this.oidOffset(middle), oid, 0, this.format.oidBytes) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The oid at a position: a view into the index. */
  oidAt(position: number): Uint8Array {
    const at = this.oidsAt + position * this.format.oidBytes;
    return this.bytes.subarray(at, at + this.format.oidBytes);
  }

  /** Where in `bytes` the oid of a position starts, for those who avoid making views. */
  oidOffset(position: number): number {
    return this.oidsAt + position * this.format.oidBytes;
  }

  /** Where the entry at a position starts in the pack. Throws CorruptPack. */
  offsetAt(position: number): number {
    const offset = this.view.getUint32(this.offsetsAt + 4 * position);
    if (offset < 0x8000_0000) {
      return offset;
    }
    const large = offset - 0x8000_0000;
    this.demand(large < this.largeOffsetCount, `the offset at position ${position} is missing`);
    return Number(this.view.getBigUint64(this.largeOffsetsAt + 8 * large));
  }

  /** CRC-32 of the entry's bytes in the pack. */
  crcAt(position: number): number {
    return this.view.getUint32(this.oidsAt + this.entryCount * this.format.oidBytes + 4 * position);
  }

  /** The checksum of the pack that this index belongs to: a view. */
  packChecksum(): Uint8Array {
    const at = this.bytes.length - 2 * this.format.oidBytes;
    return this.bytes.subarray(at, at + this.format.oidBytes);
  }

  private buildFanout(): void {
    const { oidBytes } = this.format;
    const { bytes, fanout, keys, prefixBytes } = this;
    let next = 0;
    let at = this.oidsAt;
    let lastPrefix = -1;
    let lastKey = 0;
    for (let position = 0; position < keys.length; position++, at += oidBytes) {
      const prefix = this.prefixAt(bytes, at);
      const key = wordAt(bytes, at + prefixBytes);
      const ordered =
        prefix > lastPrefix ||
        (prefix === lastPrefix &&
          (key > lastKey || (key === lastKey && compareOids(bytes, at - oidBytes, bytes, at, oidBytes) <= 0)));
      if (!ordered) {
        this.demand(false, `the oid at position ${position} is out of order`);
      }
      while (next <= prefix) {
        fanout[next++] = position;
      }
      keys[position] = key;
      lastPrefix = prefix;
      lastKey = key;
    }
    fanout.fill(keys.length, next);
  }

  private prefixAt(bytes: Uint8Array, at: number): number {
    return this.prefixBytes === 1 ? bytes[at]! : (bytes[at]! << 8) | bytes[at + 1]!;
  }

  private firstKeyAtLeast(key: number, from: number, to: number): number {
    let low = from;
    let high = to;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.keys[middle]! < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private equalsAt(position: number, bytes: Uint8Array, at: number): boolean {
    const { oidBytes } = this.format;
    const own = this.oidsAt + position * oidBytes;
    // The bytes before are equal already: one or two by bucket, four by key.
    for (let byte = this.prefixBytes + 4; byte < oidBytes; byte++) {
      if (this.bytes[own + byte] !== bytes[at + byte]) {
        return false;
      }
    }
    return true;
  }

  private demand(condition: boolean, problem: string): void {
    if (!condition) {
      throw new CorruptPack(`Cannot use the pack index "${this.path}": ${problem}`, this.path);
    }
  }
}

function wordAt(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
}
