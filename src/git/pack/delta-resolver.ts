import { compileLightly } from "../../lib/compile-lightly.ts";
import type { ObjectFormat } from "../objects/object-format.ts";
import type { ObjectType } from "../objects/object-type.ts";
import type { ObjectDatabase } from "../odb/object-database.ts";
import { applyDelta, deltaResultSize } from "./delta.ts";
import type { EntryTable } from "./entry-table.ts";
import { CorruptEntry, PackRejected } from "./errors.ts";
import type { IndexBuffers } from "./index-buffers.ts";
import { ObjectArena } from "./object-arena.ts";
import { ratioFreeBytes, type PackLimits } from "./pack-limits.ts";
import { StoredEntryReader } from "./stored-entry-reader.ts";

const megabyte = 1024 * 1024;
const headers = ["", "commit ", "tree ", "blob ", "tag "].map((text) => Buffer.from(text, "latin1"));

interface ResolverOptions {
  readonly format: ObjectFormat;
  readonly limits: PackLimits;
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
}

/** Memory for the recent objects of a pack. */
function arenaBytes(packBytes: number): number {
  return Math.min(Math.max(packBytes * 16, megabyte), 16 * megabyte);
}

/**
 * Makes objects of the entries of a pack that is being indexed and names them. Recent objects are in an arena; one that
 * is needed and no longer there is rebuilt from the file, which counts against a limit so that no order of deltas can
 * keep a worker busy for ever.
 */
export class DeltaResolver {
  private readonly arena: ObjectArena;
  private readonly table: EntryTable;
  private readonly oid: Uint8Array;
  private totalBytes = 0;
  private rebuiltBytes = 0;
  /** Two readers, since a delta's instructions must outlast the rebuilding of its base. */
  private readonly deltas: StoredEntryReader;
  private readonly rebuilt: StoredEntryReader;
  /** Positions in `bases` of entries that are not in the file, by entry. */
  private readonly external = new Map<number, number>();

  constructor(private readonly options: ResolverOptions) {
    this.table = options.table;
    this.oid = new Uint8Array(options.format.oidBytes);
    this.deltas = new StoredEntryReader(options.table, options.descriptor, options.path);
    this.rebuilt = new StoredEntryReader(options.table, options.descriptor, options.path);
    this.arena = new ObjectArena(options.buffers.take("objects", arenaBytes(options.packBytes)), 128 * megabyte, options.entries + 64);
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

  /** Resolves a delta, whose instructions are given, against a base that is resolved, and names the result. */
  resolve(entry: number, base: number, instructions: Uint8Array, length: number): void {
    const { table, arena } = this;
    const depth = table.depths[base]! + 1;
    if (depth > this.options.limits.deltaDepth) {
      throw new PackRejected("too-large", `Cannot accept the pack: a chain of more than ${this.options.limits.deltaDepth} deltas`);
    }
    try {
      const size = deltaResultSize(instructions, 0, length);
      this.demandObjectSize(size);
      if (!arena.locate(base, arena.roomFor(size))) {
        this.rebuild(base);
        arena.locate(base, arena.roomFor(size));
      }
      const { buffer: baseBytes, at: baseAt } = arena;
      arena.allocate(entry, size);
      const { buffer, at } = arena;
      applyDelta(baseBytes, baseAt, table.objectSizes[base]!, instructions, 0, length, buffer, at, size);
      table.bases[entry] = base;
      table.depths[entry] = depth;
      this.name(entry, table.types[base] as ObjectType, buffer, at, size);
    } catch (error) {
      throw rejection(error, table.offsets[entry]!);
    }
  }

  /** Resolves a delta that was passed over in the pass through the file. */
  resolveStored(entry: number, base: number): void {
    this.resolve(entry, base, this.deltas.inflate(entry), this.table.dataSizes[entry]!);
  }

  /** The content of a resolved object; valid until the next call. */
  content(entry: number): Uint8Array {
    if (!this.arena.locate(entry, 0)) {
      this.rebuild(entry);
    }
    return this.arena.buffer.subarray(this.arena.at, this.arena.at + this.table.objectSizes[entry]!);
  }

  demandObjectSize(size: number): void {
    const limit = this.options.limits.objectBytes;
    if (size > limit) {
      throw new PackRejected("too-large", `Cannot accept the pack: an object of ${size} bytes, where ${limit} are allowed`);
    }
  }

  /** Hashes an object and counts it. Its header is written into the bytes before it, so that it is hashed in one go. */
  private name(entry: number, type: ObjectType, bytes: Uint8Array, at: number, size: number): void {
    this.countBytes(size);
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
    this.table.oids.set(this.oid, entry * this.oid.length);
    this.table.types[entry] = type;
    this.table.objectSizes[entry] = size;
    this.options.onObject(entry, type, bytes, at, size);
  }

  private countBytes(size: number): void {
    const { limits, packBytes } = this.options;
    this.totalBytes += size;
    if (this.totalBytes > limits.totalInflatedBytes) {
      throw new PackRejected("too-large", `Cannot accept the pack: its objects have more than ${limits.totalInflatedBytes} bytes together`);
    }
    if (this.totalBytes > ratioFreeBytes && this.totalBytes > packBytes * limits.inflationRatio) {
      throw new PackRejected("too-large", `Cannot accept the pack: its objects are more than ${limits.inflationRatio} times its size`);
    }
  }

  /**
   * Puts an object that the arena has lost back into it, and with it what lies between it and the nearest object on its
   * chain that is there: the next delta is likely to need one of those.
   */
  private rebuild(entry: number): void {
    const { table } = this;
    const chain: number[] = [];
    let at = entry;
    while (!this.arena.locate(at, 0) && table.bases[at]! >= 0) {
      chain.push(at);
      at = table.bases[at]!;
    }
    this.refresh(at);
    while (chain.length > 0) {
      const next = chain.pop()!;
      const size = table.objectSizes[next]!;
      const instructions = this.rebuilt.inflate(next);
      if (!this.arena.locate(at, this.arena.roomFor(size))) {
        this.refresh(at);
      }
      const { buffer: baseBytes, at: baseAt } = this.arena;
      this.arena.allocate(next, size);
      const { buffer, at: start } = this.arena;
      applyDelta(baseBytes, baseAt, table.objectSizes[at]!, instructions, 0, table.dataSizes[next]!, buffer, start, size);
      this.countRebuilt(size);
      at = next;
    }
  }

  /** Puts an object that is still in the arena, is whole in the file or is in `bases` at the arena's head. */
  private refresh(entry: number): void {
    const { table, arena } = this;
    const size = table.objectSizes[entry]!;
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
      throw new PackRejected("too-large", "Cannot accept the pack: its deltas are in an order that takes too much work to resolve");
    }
  }
}

/** What is wrong with an entry, as a reason to refuse the pack. */
function rejection(error: unknown, offset: number): unknown {
  return error instanceof CorruptEntry
    ? new PackRejected("malformed", `Cannot accept the pack: the delta at byte ${offset} does not fit its base`, undefined, { cause: error })
    : error;
}

compileLightly(DeltaResolver);
