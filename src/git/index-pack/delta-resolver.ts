import { dirname } from "node:path";
import { hashPieces } from "../objects/hash-object.ts";
import type { ObjectFormat } from "../objects/object-format.ts";
import { ObjectType, typeName } from "../objects/object-type.ts";
import type { ObjectDatabase } from "../odb/object-database.ts";
import { applyDeltaPieces } from "../pack/apply-delta-pieces.ts";
import { applyDelta, deltaResultSize } from "../pack/delta.ts";
import type { EntryTable } from "../pack/entry-table.ts";
import { CorruptEntry, PackRejected } from "../pack/errors.ts";
import type { IndexBuffers } from "../pack/index-buffers.ts";
import { ObjectArena } from "./object-arena.ts";
import { largestParsedBytes, ratioFreeBytes, ratioFreeShare, type PackLimits } from "../pack/pack-limits.ts";
import { BytesInMemory, type PositionedBytes } from "../pack/positioned-bytes.ts";
import { SpilledObjects } from "./spilled-objects.ts";
import { StoredEntryReader } from "./stored-entry-reader.ts";

const megabyte = 1024 * 1024;
/** Memory for recent objects that are large. Three threads index packs at a time, and all of them together are to stay within 400 MB. */
const largeObjectsBytes = 32 * megabyte;
const headers = ["", "commit ", "tree ", "blob ", "tag "].map((text) => Buffer.from(text, "latin1"));

interface ResolverOptions {
  readonly format: ObjectFormat;
  readonly limits: PackLimits;
  /** Blobs of more bytes are not held. */
  readonly largeBlobBytes: number;
  readonly table: EntryTable;
  /** Objects in the file. */
  readonly entries: number;
  /** The received file and its size. */
  readonly descriptor: number;
  readonly path: string;
  readonly packBytes: number;
  readonly bases?: ObjectDatabase | undefined;
  readonly buffers: IndexBuffers;
  /** Called with each object once its oid is in the table: `bytes[at..at + size)`, valid during the call. */
  readonly onObject: (entry: number, type: ObjectType, bytes: Uint8Array, at: number, size: number) => void;
  /** Called instead with each blob that is too large to be held. */
  readonly onLargeBlob: (entry: number, size: number) => void;
  /** Called for each piece of what is large; may throw. */
  readonly step: () => void;
}

/** Memory for the recent objects of a pack. */
function arenaBytes(packBytes: number): number {
  return Math.min(Math.max(packBytes * 16, megabyte), 16 * megabyte);
}

/**
 * Makes objects of the entries of a pack that is being indexed and names them. Recent objects are in an arena; one that
 * is needed and no longer there is rebuilt from the file, which counts against a limit so that no order of deltas can
 * keep a worker busy for ever. A large blob is never in memory as a whole: where a delta is built on one, it is in a file.
 */
export class DeltaResolver implements Disposable {
  private readonly arena: ObjectArena;
  private readonly table: EntryTable;
  private readonly oid: Uint8Array;
  private totalBytes = 0;
  private ownBytes = 0;
  private takenOverBytes = 0;
  private rebuiltBytes = 0;
  private instructionBytes = 0;
  /** Two readers, since a delta's instructions must outlast the rebuilding of its base. */
  private readonly deltas: StoredEntryReader;
  private readonly rebuilt: StoredEntryReader;
  private readonly spilled: SpilledObjects;
  /** Positions in `bases` of entries that are not in the file, by entry. */
  private readonly external = new Map<number, number>();

  constructor(private readonly options: ResolverOptions) {
    this.table = options.table;
    this.oid = new Uint8Array(options.format.oidBytes);
    this.deltas = new StoredEntryReader(options.table, options.descriptor, options.path);
    this.rebuilt = new StoredEntryReader(options.table, options.descriptor, options.path);
    this.arena = new ObjectArena(
      options.buffers.take("objects", arenaBytes(options.packBytes)),
      largeObjectsBytes,
      options.entries + 64,
    );
    this.spilled = new SpilledObjects(dirname(options.path));
  }

  [Symbol.dispose](): void {
    this.spilled[Symbol.dispose]();
    this.arena[Symbol.dispose]();
  }

  /** Whether an object of this type and size goes through in pieces; null as the type stands for the instructions of a delta. */
  isLarge(type: ObjectType | null, size: number): boolean {
    return size > this.options.largeBlobBytes && (type === null || type === ObjectType.blob);
  }

  /** Room for a whole object, to inflate it in place: `take(bytes, at)`. Then names it. */
  addWhole(entry: number, type: ObjectType, size: number, take: (bytes: Uint8Array, at: number) => void): void {
    this.arena.allocate(entry, size);
    const { buffer, at } = this.arena;
    take(buffer, at);
    this.name(entry, type, buffer, at, size);
  }

  /** An object of `bases` that deltas of a thin pack are based on, as an entry that the file does not have yet. */
  addExternal(entry: number, position: number): void {
    const { bases } = this.options;
    this.external.set(entry, position);
    this.table.types[entry] = bases!.typeAt(position);
    this.table.objectSizes[entry] = bases!.sizeAt(position);
    this.table.oids.set(bases!.oidAt(position), entry * this.table.oidBytes);
  }

  /** Whether an object that is resolved goes through in pieces. */
  isLargeEntry(entry: number): boolean {
    return this.isLarge(this.table.types[entry] as ObjectType, this.table.objectSizes[entry]!);
  }

  /** Names a large blob that comes in pieces. */
  addLarge(entry: number, size: number, pieces: Iterable<Uint8Array>): void {
    this.countBytes(entry, size);
    const oid = hashPieces(this.options.format, ObjectType.blob, size, watched(pieces, this.options.step));
    this.enter(entry, ObjectType.blob, size, oid);
    this.options.onLargeBlob(entry, size);
  }

  /** Resolves a delta that was passed over in the pass through the file. */
  resolveStored(entry: number, base: number): void {
    const length = this.table.dataSizes[entry]!;
    this.resolve(entry, base, this.isLarge(null, length) ? null : this.deltas.inflate(entry), length);
  }

  /**
   * Resolves a delta against a base that is resolved, and names the result. `instructions`: null for those that are to be
   * read from the file as they are needed.
   */
  resolve(entry: number, base: number, instructions: Uint8Array | null, length: number): void {
    const { table } = this;
    const depth = table.depths[base]! + 1;
    if (depth > this.options.limits.deltaDepth) {
      throw new PackRejected(
        "too-large",
        `Cannot accept the pack: a chain of more than ${this.options.limits.deltaDepth} deltas`,
      );
    }
    const type = table.types[base] as ObjectType;
    try {
      const size = instructions === null ? this.storedResultSize(entry) : deltaResultSize(instructions, 0, length);
      this.checkObjectSize(size, type);
      table.bases[entry] = base;
      table.depths[entry] = depth;
      if (this.isLarge(type, size)) {
        this.addLarge(entry, size, this.resultPieces(entry, base, instructions, size));
        return;
      }
      this.apply(entry, base, instructions, size);
      this.name(entry, type, this.arena.buffer, this.arena.at, size);
    } catch (error) {
      throw rejection(error, table.offsets[entry]!);
    }
  }

  /** The content of a resolved object, also of a large one; valid until the next call. */
  content(entry: number): Uint8Array {
    if (this.isLargeEntry(entry)) {
      return Buffer.concat(Array.from(this.largePieces(entry), (piece) => piece.slice()));
    }
    this.provide(entry, 0);
    return this.arena.buffer.subarray(this.arena.at, this.arena.at + this.table.objectSizes[entry]!);
  }

  /** The content of a large blob that is resolved. */
  largePieces(entry: number): Iterable<Uint8Array> {
    const base = this.table.bases[entry]!;
    if (this.external.has(entry)) {
      return this.options.bases!.readPieces(this.external.get(entry)!, dirname(this.options.path));
    }
    return base < 0
      ? this.deltas.inflatePieces(entry)
      : this.resultPieces(entry, base, null, this.table.objectSizes[entry]!);
  }

  /** `type`: null where it is not known yet, or `size` is that of instructions. */
  checkObjectSize(size: number, type: ObjectType | null): void {
    const limit = this.options.limits.objectBytes;
    if (size > limit) {
      throw new PackRejected(
        "too-large",
        `Cannot accept the pack: an object of ${size} bytes, where ${limit} are allowed`,
      );
    }
    if (size > largestParsedBytes && type !== null && type !== ObjectType.blob) {
      throw new PackRejected(
        "too-large",
        `Cannot accept the pack: a ${typeName(type)} of ${size} bytes, where ${largestParsedBytes} are allowed`,
      );
    }
  }

  /** Counts the instructions of a delta before they are inflated: that is work even where no object ever comes of them. */
  countInstructions(size: number): void {
    const limit = this.options.limits.totalInflatedBytes;
    this.instructionBytes += size;
    if (this.instructionBytes > limit) {
      throw new PackRejected("too-large", `Cannot accept the pack: its deltas have more than ${limit} bytes together`);
    }
  }

  /** Hashes an object and counts it. Its header is written into the bytes before it, so that it is hashed in one go. */
  private name(entry: number, type: ObjectType, bytes: Uint8Array, at: number, size: number): void {
    this.countBytes(entry, size);
    let start = at - 1;
    bytes[start] = 0;
    let rest = size;
    do {
      bytes[--start] = 0x30 + (rest % 10);
      rest = Math.floor(rest / 10);
    } while (rest > 0);
    const header = headers[type]!;
    start -= header.length;
    for (let byte = 0; byte < header.length; byte++) {
      bytes[start + byte] = header[byte]!;
    }
    this.options.format.hashInto(bytes.subarray(start, at + size), this.oid);
    this.enter(entry, type, size, this.oid);
    this.options.onObject(entry, type, bytes, at, size);
  }

  private enter(entry: number, type: ObjectType, size: number, oid: Uint8Array): void {
    this.table.oids.set(oid, entry * oid.length);
    this.table.types[entry] = type;
    this.table.objectSizes[entry] = size;
  }

  /**
   * Bytes that a delta copies from its base are not counted as inflation, because a small change of a large file is a
   * pack of a few bytes. But thousands of them would be hours of work in a small pack.
   */
  private countBytes(entry: number, size: number): void {
    const { limits, packBytes } = this.options;
    const base = this.table.bases[entry]!;
    this.totalBytes += size;
    const takenOver = base < 0 ? 0 : Math.min(size, this.table.objectSizes[base]!);
    this.ownBytes += size - takenOver;
    this.takenOverBytes += takenOver;
    if (this.totalBytes > limits.totalInflatedBytes) {
      throw new PackRejected(
        "too-large",
        `Cannot accept the pack: its objects have more than ${limits.totalInflatedBytes} bytes together`,
      );
    }
    const perRatio = packBytes * limits.inflationRatio;
    const isBomb = this.ownBytes > ratioFreeBytes && this.ownBytes > perRatio;
    if (
      isBomb ||
      (this.takenOverBytes > limits.totalInflatedBytes * ratioFreeShare && this.takenOverBytes > perRatio)
    ) {
      throw new PackRejected(
        "too-large",
        `Cannot accept the pack: its objects are more than ${limits.inflationRatio} times its size`,
      );
    }
  }

  /**
   * Sees to it that an object is in the arena, at its place there, and will be after `room` bytes more; or that it is
   * spilled, if it is large. What lies between it and the nearest object on its chain that is there comes back with it: the
   * next delta is likely to need one of those.
   */
  private provide(entry: number, room: number): void {
    const { table } = this;
    if (this.isAtHand(entry, room)) {
      return;
    }
    const chain: number[] = [];
    let at = entry;
    while (!this.isAtHand(at, 0) && table.bases[at]! >= 0) {
      chain.push(at);
      at = table.bases[at]!;
    }
    this.refresh(at);
    while (chain.length > 0) {
      const next = chain.pop()!;
      const size = table.objectSizes[next]!;
      if (this.isLargeEntry(next)) {
        this.spill(next);
      } else {
        const length = table.dataSizes[next]!;
        this.apply(next, at, this.isLarge(null, length) ? null : this.rebuilt.inflate(next), size);
        this.countRebuilt(size);
      }
      at = next;
    }
    this.isAtHand(entry, room);
  }

  /** Whether an object is in the arena, where it is then looked at, or is large and spilled. */
  private isAtHand(entry: number, room: number): boolean {
    return this.isLargeEntry(entry) ? this.spilled.has(entry) : this.arena.locate(entry, room);
  }

  /** Applies a delta whose result is not large, into the arena. */
  private apply(entry: number, base: number, instructions: Uint8Array | null, size: number): void {
    const { arena, table } = this;
    if (instructions === null || this.isLargeEntry(base)) {
      const pieces = this.resultPieces(entry, base, instructions, size);
      arena.allocate(entry, size);
      const { buffer, at } = arena;
      let filled = at;
      for (const piece of pieces) {
        this.options.step();
        buffer.set(piece, filled);
        filled += piece.length;
      }
      return;
    }
    this.provide(base, arena.roomFor(size));
    const { buffer: baseBytes, at: baseAt } = arena;
    arena.allocate(entry, size);
    const { buffer, at } = arena;
    applyDelta(baseBytes, baseAt, table.objectSizes[base]!, instructions, 0, table.dataSizes[entry]!, buffer, at, size);
  }

  /**
   * Returns the result of a delta in pieces. Its base stays in place until one more small object is put into the arena.
   */
  private resultPieces(
    entry: number,
    base: number,
    instructions: Uint8Array | null,
    size: number,
  ): Iterable<Uint8Array> {
    const length = this.table.dataSizes[entry]!;
    const from = this.baseBytes(base, size);
    if (instructions === null && this.isLarge(null, length)) {
      return applyDeltaPieces(from, this.deltas.inflatePieces(entry), size);
    }
    return applyDeltaPieces(from, [(instructions ?? this.rebuilt.inflate(entry)).subarray(0, length)], size);
  }

  private baseBytes(base: number, resultBytes: number): PositionedBytes {
    this.provide(base, this.arena.roomFor(resultBytes));
    return this.isLargeEntry(base)
      ? this.spilled.get(base)
      : new BytesInMemory(this.arena.buffer, this.arena.at, this.table.objectSizes[base]!);
  }

  private spill(entry: number): void {
    const { step } = this.options;
    this.spilled.make(entry, watched(this.largePieces(entry), step));
    this.countRebuilt(this.table.objectSizes[entry]!);
  }

  /** The size that a delta's instructions begin with, those being in the file. */
  private storedResultSize(entry: number): number {
    for (const start of this.deltas.inflatePieces(entry)) {
      return deltaResultSize(start, 0, start.length);
    }
    throw new CorruptEntry("Cannot read a delta: it is empty");
  }

  /** Puts an object that is still in the arena, is whole in the file or is in `bases` at the arena's head, or spills it. */
  private refresh(entry: number): void {
    const { table, arena } = this;
    const size = table.objectSizes[entry]!;
    if (this.isLargeEntry(entry)) {
      if (!this.spilled.has(entry)) {
        this.spill(entry);
      }
      return;
    }
    let bytes: Uint8Array;
    if (arena.locate(entry, 0)) {
      bytes = arena.buffer.slice(arena.at, arena.at + size);
    } else if (this.external.has(entry)) {
      bytes = this.options.bases!.read(this.external.get(entry)!).bytes;
    } else {
      bytes = this.rebuilt.inflate(entry).subarray(0, size);
    }
    arena.allocate(entry, size);
    arena.buffer.set(bytes, arena.at);
    this.countRebuilt(size);
  }

  private countRebuilt(size: number): void {
    this.rebuiltBytes += size;
    if (this.rebuiltBytes > this.options.limits.totalInflatedBytes) {
      throw new PackRejected(
        "too-large",
        "Cannot accept the pack: its deltas are in an order that takes too much work to resolve",
      );
    }
  }
}

function* watched(pieces: Iterable<Uint8Array>, step: () => void): Generator<Uint8Array, void> {
  for (const piece of pieces) {
    step();
    yield piece;
  }
}

/** Turns a fault of an entry into a reason to reject the pack. */
function rejection(error: unknown, offset: number): unknown {
  return error instanceof CorruptEntry
    ? new PackRejected(
        "malformed",
        `Cannot accept the pack: the delta at byte ${offset} does not fit its base`,
        undefined,
        { cause: error },
      )
    : error;
}
