import { closeSync, fstatSync, openSync } from "node:fs";
import type { ObjectFormat } from "../objects/object-format.ts";
import type { ObjectType } from "../objects/object-type.ts";
import { deltaResultSize } from "./delta.ts";
import { CorruptEntry, CorruptPack } from "./errors.ts";
import { inflateInto, inflateSpareBytes, inflateStart } from "./inflate.ts";
import { EntryHeader, EntryKind, likelyCompressedBytes, maxHeaderBytes, parseEntryHeader } from "./pack-entry.ts";
import { PackIndex } from "./pack-index.ts";
import { largestInflation, largestObjectBytes } from "./pack-limits.ts";
import { readExactly, type WindowCache, type WindowSource } from "./window-cache.ts";
import { PackOrder } from "./pack-order.ts";
import { indexPathOf } from "./pack-paths.ts";

/** An entry's header with its place resolved; made once and filled by PackFile.readHeader. */
export class PackEntry extends EntryHeader {
  offset = 0;
  /** Where the compressed data starts. */
  dataStart = 0;
  /** Offset in this pack of a delta's base, else -1. */
  baseOffset = -1;
}

/** Enough of a delta's instructions to read the two sizes at their start. */
const deltaSizesBytes = 20;
/** Compressed bytes that hold that much, Huffman tables included. */
const deltaStartBytes = 1024;
/** From here on the exact end of an entry is worth looking up instead of reading what it may take. */
const largeEntryBytes = 64 * 1024;

/**
 * A pack and its index, open for reading. Synchronous: used inside workers.
 *
 * Entries are named in three ways: by *position* (place of the oid in the sorted index), by *offset* (byte in the file)
 * and by *order* (0 for the first in the file). Every method that reads throws CorruptPack for a damaged pack.
 */
export class PackFile implements WindowSource, Disposable {
  readonly entryCount: number;
  readonly packBytes: number;
  /** The CRC-32 of the whole file, as it was when it had its checksum; null while nobody has looked. */
  sentCrc: number | null = null;
  private packOrder: PackOrder | null = null;
  private readonly entry = new PackEntry();
  private readonly sizeScratch = new Uint8Array(deltaSizesBytes + 1);
  /** Types by position as far as they were asked for; 0 is unknown. */
  private readonly types: Uint8Array;
  private scratch = new Uint8Array(0);
  /** null after `rest` */
  private openIndex: PackIndex | null;

  private constructor(
    readonly format: ObjectFormat,
    readonly path: string,
    readonly id: number,
    readonly descriptor: number,
    index: PackIndex,
    private readonly windows: WindowCache,
  ) {
    this.packBytes = fstatSync(descriptor).size;
    this.entryCount = index.entryCount;
    this.types = new Uint8Array(index.entryCount);
    this.checkBelongs(index);
    this.openIndex = index;
  }

  /** Opens `<name>.pack` and the `<name>.idx` beside it. `id` must be unique among the files using `windows`. */
  static open(format: ObjectFormat, path: string, id: number, windows: WindowCache): PackFile {
    const index = PackIndex.open(format, indexPathOf(path));
    let descriptor: number;
    try {
      descriptor = openSync(path, "r");
    } catch (error) {
      throw new CorruptPack(`Cannot open the pack "${path}"`, path, { cause: error });
    }
    try {
      return new PackFile(format, path, id, descriptor, index, windows);
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
  }

  [Symbol.dispose](): void {
    this.windows.drop(this);
    closeSync(this.descriptor);
  }

  /** Its index: read again after `rest`, which throws CorruptPack where `open` would. */
  get index(): PackIndex {
    return this.openIndex ?? this.readIndexAgain();
  }

  private readIndexAgain(): PackIndex {
    const index = PackIndex.open(this.format, indexPathOf(this.path));
    this.checkBelongs(index);
    this.openIndex = index;
    return index;
  }

  /** Gives back its index and what follows from it. Not while somebody reads: the index may be gone when it is needed next, as that of any pack that was replaced. */
  rest(): void {
    this.openIndex = null;
    this.packOrder = null;
  }

  /** Memory held beside the windows, in bytes. */
  get heldBytes(): number {
    return (this.openIndex?.heldBytes ?? 0) + this.types.length + (this.packOrder?.heldBytes ?? 0);
  }

  /** Where the entries end and the checksum starts. */
  get entriesEnd(): number {
    return this.packBytes - this.format.oidBytes;
  }

  /** The entries in the order in which they stand in the file; built when first asked for. */
  get order(): PackOrder {
    this.packOrder ??= new PackOrder(this.index, this.entriesEnd);
    return this.packOrder;
  }

  /** Reads the header of the entry at `offset` into `entry`. */
  readHeader(offset: number, entry: PackEntry): void {
    if (offset < 12 || offset >= this.entriesEnd) {
      throw this.corrupt(`there is no entry at byte ${offset}`);
    }
    let bytes = this.windows.windowAt(this, offset);
    let at = offset - this.windows.windowStart(offset);
    if (at + maxHeaderBytes > bytes.length) {
      bytes = this.readBytes(offset, Math.min(offset + maxHeaderBytes, this.entriesEnd));
      at = 0;
    }
    try {
      parseEntryHeader(bytes, at, bytes.length, this.format.oidBytes, entry);
    } catch (error) {
      throw this.asCorrupt(error, offset);
    }
    entry.offset = offset;
    entry.dataStart = offset + entry.headerBytes;
    entry.baseOffset = -1;
    // Readers make room by what the header says.
    if (entry.size > Math.min(largestObjectBytes, (this.entriesEnd - entry.dataStart) * largestInflation)) {
      throw this.corrupt(`the entry at byte ${offset} cannot have ${entry.size} bytes`);
    }
    if (entry.kind === EntryKind.ofsDelta) {
      entry.baseOffset = offset - entry.baseDistance;
    } else if (entry.kind === EntryKind.refDelta) {
      const position = this.index.find(bytes, entry.baseOidAt);
      if (position < 0) {
        throw this.corrupt(`the base of the delta at byte ${offset} is not in it`);
      }
      entry.baseOffset = this.index.offsetAt(position);
    }
  }

  /** The bytes `[from, to)` in one piece: a view into a window where possible. Valid until the next read. */
  readBytes(from: number, to: number): Uint8Array {
    const window = this.windows.windowAt(this, from);
    const start = this.windows.windowStart(from);
    if (to - start <= window.length) {
      return window.subarray(from - start, to - start);
    }
    if (this.scratch.length < to - from || this.scratch.length > 4 * 1024 * 1024) {
      this.scratch = new Uint8Array(Math.max(to - from, 4096));
    }
    const bytes = this.scratch.subarray(0, to - from);
    if (to - from > largeEntryBytes * 4) {
      readExactly(this.descriptor, this.path, bytes, from);
    } else {
      this.forEachChunk(from, to, (chunk, chunkFrom, chunkTo, at) =>
        bytes.set(chunk.subarray(chunkFrom, chunkTo), at - from),
      );
    }
    return bytes;
  }

  /**
   * Calls `visit` with pieces that together are the bytes `[from, to)`: a piece is `bytes[chunkFrom..chunkTo)` and
   * starts at byte `at` of the file. For copying entries as they are; a piece is valid only during the call.
   */
  forEachChunk(
    from: number,
    to: number,
    visit: (bytes: Uint8Array, chunkFrom: number, chunkTo: number, at: number) => void,
  ): void {
    if (from < 0 || to > this.packBytes) {
      throw this.corrupt(`it has no bytes ${from} to ${to}`);
    }
    for (let at = from; at < to;) {
      const window = this.windows.windowAt(this, at);
      const start = this.windows.windowStart(at);
      const end = Math.min(to, start + window.length);
      visit(window, at - start, end - start, at);
      at = end;
    }
  }

  /** The type of the object at a position: follows deltas to their base, inflates nothing. */
  typeAt(position: number): ObjectType {
    const known = this.types[position]!;
    if (known !== 0) {
      return known as ObjectType;
    }
    let offset = this.index.offsetAt(position);
    for (let steps = 0; steps <= this.entryCount; steps++) {
      this.readHeader(offset, this.entry);
      if (this.entry.baseOffset < 0) {
        this.types[position] = this.entry.kind;
        return this.entry.kind as ObjectType;
      }
      offset = this.entry.baseOffset;
      const base =
        this.packOrder === null ? 0 : this.types[this.packOrder.positionAt(this.packOrder.orderAtOffset(offset))]!;
      if (base !== 0) {
        this.types[position] = base;
        return base as ObjectType;
      }
    }
    throw this.corrupt(`the delta at byte ${offset} leads back to itself`);
  }

  /** The inflated size of the object at a position: inflates a delta's first bytes, nothing of whole objects. */
  sizeAt(position: number): number {
    return this.sizeOf(this.index.offsetAt(position));
  }

  /** Returns the size of the entry at byte `offset`. */
  sizeOf(offset: number): number {
    const { entry } = this;
    this.readHeader(offset, entry);
    if (entry.baseOffset < 0) {
      return entry.size;
    }
    const available = this.readBytes(entry.dataStart, Math.min(entry.dataStart + deltaStartBytes, this.entriesEnd));
    const length = Math.min(entry.size, deltaSizesBytes);
    try {
      inflateStart(available, 0, available.length, this.sizeScratch, length);
      return deltaResultSize(this.sizeScratch, 0, length);
    } catch (error) {
      throw this.asCorrupt(error, entry.offset);
    }
  }

  /**
   * Compares an entry with its CRC-32 in the index. What an entry inflates to has a checksum of its own, and its header
   * a size that has to fit; but that a delta names another base, which it fits by chance, only this tells. Throws CorruptPack.
   */
  checkEntry(offset: number): void {
    const order = this.order.orderAtOffset(offset);
    const end = this.order.endAt(order);
    const window = this.windows.windowAt(this, offset);
    const start = this.windows.windowStart(offset);
    let crc = 0;
    if (end - start <= window.length) {
      // Without a function for each piece: half of what this costs most entries.
      crc = Bun.hash.crc32(window.subarray(offset - start, end - start));
    } else {
      this.forEachChunk(offset, end, (bytes, from, to) => {
        crc = Bun.hash.crc32(bytes.subarray(from, to), crc);
      });
    }
    if (crc !== this.index.crcAt(this.order.positionAt(order))) {
      throw this.corrupt(`the entry at byte ${offset} is damaged`);
    }
  }

  /** Inflates the data of an entry, whose header was read, to `target[0..entry.size)`; the target needs one byte more, and what is behind is undefined. */
  inflateEntry(entry: PackEntry, target: Uint8Array): void {
    const likely = entry.dataStart + likelyCompressedBytes(entry.size);
    const exact = likely - entry.offset > largeEntryBytes;
    const end = exact ? this.order.endOf(entry.offset) : Math.min(likely, this.entriesEnd);
    try {
      this.inflateWithin(entry, end, target);
    } catch (error) {
      const longer =
        exact || !(error instanceof CorruptEntry) || !error.inputEnded ? end : this.order.endOf(entry.offset);
      if (longer <= end) {
        throw this.asCorrupt(error, entry.offset);
      }
      this.retryInflate(entry, longer, target);
    }
  }

  /** A CorruptPack about this file. */
  corrupt(problem: string, cause?: unknown): CorruptPack {
    return new CorruptPack(`Cannot read the pack "${this.path}": ${problem}`, this.path, { cause });
  }

  /** CorruptPack for what the parsers of entries throw; anything else as it is. */
  asCorrupt(error: unknown, offset: number): unknown {
    return error instanceof CorruptEntry ? this.corrupt(`the entry at byte ${offset} is damaged`, error) : error;
  }

  private retryInflate(entry: PackEntry, end: number, target: Uint8Array): void {
    try {
      this.inflateWithin(entry, end, target);
    } catch (error) {
      throw this.asCorrupt(error, entry.offset);
    }
  }

  private inflateWithin(entry: PackEntry, end: number, target: Uint8Array): void {
    const bytes = this.readBytes(entry.dataStart, end);
    inflateInto(bytes, 0, bytes.length, target, 0, entry.size, Math.min(target.length - entry.size, inflateSpareBytes));
  }

  /** That pack and index are a pair: cheap, and tells a mix-up before wrong offsets do. */
  private checkBelongs(index: PackIndex): void {
    const { oidBytes } = this.format;
    if (this.packBytes < 12 + oidBytes) {
      throw this.corrupt("it is cut off");
    }
    const head = new Uint8Array(12);
    readExactly(this.descriptor, this.path, head, 0);
    const view = new DataView(head.buffer);
    if (view.getUint32(0) !== 0x5041434b || (view.getUint32(4) !== 2 && view.getUint32(4) !== 3)) {
      throw this.corrupt("it does not start as a pack");
    }
    const checksum = new Uint8Array(oidBytes);
    readExactly(this.descriptor, this.path, checksum, this.entriesEnd);
    if (view.getUint32(8) !== index.entryCount || Buffer.compare(checksum, index.packChecksum()) !== 0) {
      throw this.corrupt("its index belongs to another pack");
    }
  }
}
