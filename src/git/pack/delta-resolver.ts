import type { ObjectFormat } from "../objects/object-format.ts";
import type { ObjectType } from "../objects/object-type.ts";
import type { ObjectDatabase } from "../odb/object-database.ts";
import { applyDelta, deltaResultSize } from "./delta.ts";
import type { EntryTable } from "./entry-table.ts";
import { CorruptEntry, PackRejected } from "./errors.ts";
import { inflateInto } from "./inflate.ts";
import { ObjectArena } from "./object-arena.ts";
import { ratioFreeBytes, type PackLimits } from "./pack-limits.ts";
import { readExactly } from "./window-cache.ts";

const megabyte = 1024 * 1024;
const headers = ["", "commit ", "tree ", "blob ", "tag "].map((text) => Buffer.from(text, "latin1"));

export interface ResolverOptions {
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
  /** Called with each object once its oid is in the table: `bytes[at..at + size)`, valid during the call. */
  readonly onObject: (entry: number, type: ObjectType, bytes: Uint8Array, at: number, size: number) => void;
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
  private input = new Uint8Array(64 * 1024);
  private instructions = new Uint8Array(64 * 1024);
  /** Positions in `bases` of entries that are not in the file, by entry. */
  private readonly external = new Map<number, number>();

  constructor(private readonly options: ResolverOptions) {
    this.table = options.table;
    this.oid = new Uint8Array(options.format.oidBytes);
    // A small push gets a small arena: what follows is cleared memory of that size for each of them.
    const ringBytes = Math.min(Math.max(options.packBytes * 16, megabyte), 64 * megabyte);
    this.arena = new ObjectArena(ringBytes, 256 * megabyte, options.entries + 64);
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
    const length = this.table.dataSizes[entry]!;
    this.resolve(entry, base, this.inflateStored(entry), length);
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

  /** Puts an object that the arena has lost back into it: from the nearest object on its chain that is there. */
  private rebuild(entry: number): void {
    const { table, arena } = this;
    const chain: number[] = [];
    let at = entry;
    while (!arena.locate(at, 0) && table.bases[at]! >= 0) {
      chain.push(at);
      at = table.bases[at]!;
    }
    let bytes: Uint8Array;
    if (arena.locate(at, 0)) {
      bytes = arena.buffer.slice(arena.at, arena.at + table.objectSizes[at]!);
    } else {
      bytes = this.external.has(at)
        ? this.options.bases!.read(this.external.get(at)!).bytes
        : this.inflateStored(at).slice(0, table.objectSizes[at]!);
    }
    this.countRebuilt(bytes.length);
    while (chain.length > 0) {
      const next = chain.pop()!;
      const instructions = this.inflateStored(next);
      const result = new Uint8Array(table.objectSizes[next]!);
      applyDelta(bytes, 0, bytes.length, instructions, 0, table.dataSizes[next]!, result, 0, result.length);
      this.countRebuilt(result.length);
      bytes = result;
    }
    arena.allocate(entry, bytes.length);
    arena.buffer.set(bytes, arena.at);
  }

  private countRebuilt(size: number): void {
    this.rebuiltBytes += size;
    if (this.rebuiltBytes > this.options.limits.totalInflatedBytes) {
      throw new PackRejected("too-large", "Cannot accept the pack: its deltas are in an order that takes too much work to resolve");
    }
  }

  /** The inflated data of an entry, read again from the file; valid until the next call. */
  private inflateStored(entry: number): Uint8Array {
    const { table, options } = this;
    const size = table.dataSizes[entry]!;
    const from = table.offsets[entry]! + table.headerBytes[entry]!;
    const length = table.offsets[entry + 1]! - from;
    this.input = withRoom(this.input, length);
    const input = this.input.subarray(0, length);
    readExactly(options.descriptor, options.path, input, from);
    this.instructions = withRoom(this.instructions, size + 1);
    inflateInto(input, 0, length, this.instructions, 0, size);
    return this.instructions;
  }
}

/** What is wrong with an entry, as a reason to refuse the pack. */
function rejection(error: unknown, offset: number): unknown {
  return error instanceof CorruptEntry
    ? new PackRejected("malformed", `Cannot accept the pack: the delta at byte ${offset} does not fit its base`, undefined, { cause: error })
    : error;
}

/** A buffer of at least `size` bytes; one that became large is given back when little is needed. */
function withRoom(buffer: Uint8Array<ArrayBuffer>, size: number): Uint8Array<ArrayBuffer> {
  return buffer.length >= size && buffer.length <= Math.max(16 * megabyte, size) ? buffer : new Uint8Array(Math.max(size * 2, 64 * 1024));
}
