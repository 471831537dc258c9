import { closeSync, fstatSync, fsyncSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { InvalidInput } from "../../lib/errors.ts";
import type { NamedFile } from "../objects/checked-files.ts";
import type { ObjectFormat } from "../objects/object-format.ts";
import { ObjectType } from "../objects/object-type.ts";
import { bytesToHex } from "../objects/oid.ts";
import type { ObjectDatabase } from "../odb/object-database.ts";
import { completeThinPack } from "./complete-thin-pack.ts";
import { findTooLong, longestNameIn, type ContentLimits } from "./content-limits.ts";
import { DeltaResolver } from "./delta-resolver.ts";
import { EntryTable } from "../pack/entry-table.ts";
import { PackRejected } from "../pack/errors.ts";
import { IndexBuffers } from "../pack/index-buffers.ts";
import { inflateSpareBytes } from "../pack/inflate.ts";
import { LinkCounter, type PackLinks } from "./link-counter.ts";
import { OidMap } from "../pack/oid-map.ts";
import type { IndexedPack } from "../pack/indexed-pack.ts";
import { indexPathOf } from "../pack/pack-paths.ts";
import { EntryKind } from "../pack/pack-entry.ts";
import { PackInput } from "./pack-input.ts";
import { writeSynced } from "../pack/pack-output.ts";
import { largeBlobBytes, largestObjectBytes, type PackLimits } from "../pack/pack-limits.ts";
import { PendingDeltas } from "./pending-deltas.ts";
import { QuietCommits, type QuietHistory } from "./quiet-commits.ts";
import { ReceivedObjects } from "./received-objects.ts";
import { sortByOid, writePackIndex } from "../pack/write-pack-index.ts";

export interface IndexPackOptions {
  readonly format: ObjectFormat;
  /** The received file, complete on disk under a temporary name that ends in `.pack`; nobody else uses it. */
  readonly path: string;
  /** Where a thin pack's missing bases are, and what received objects must not contradict. */
  readonly bases?: ObjectDatabase;
  readonly limits: PackLimits;
  /** `strict`: objects are checked as `git fsck --strict` does. */
  readonly check: "strict" | "none";
  /**
   * Where several packs are one repository: files to be checked that trees of those before named and none had.
   * Left out, all that the trees of this pack name have to be there.
   */
  readonly awaitedFiles?: readonly NamedFile[];
  /** Left out, texts may be as long as objects. */
  readonly content?: ContentLimits;
  /** Kept by the caller from one pack to the next. */
  readonly buffers?: IndexBuffers;
  /** Blobs of more bytes go through in pieces. */
  readonly largeBlobBytes?: number;
  /** Called now and then, also within a large object, with the number of objects resolved and that of all. */
  readonly onProgress?: (resolved: number, objects: number) => void;
}

export interface ReceivedPack extends IndexedPack {
  /** How its objects hang together; null if they name anything outside the pack, or were not checked. */
  readonly links: PackLinks | null;
  /** At least as long as the longest name in its trees, where there are limits of content; else 0. */
  readonly longestName: number;
  /** null where a message of its commits may name an issue */
  readonly quiet: QuietHistory | null;
  /** positions in `bases` of the objects that it lacked, and has now */
  readonly added: readonly number[];
  /** what is still to come of `awaitedFiles`, with what this pack's trees name */
  readonly absentFiles: readonly NamedFile[];
}

/** A header byte and the shortest zlib stream there is. */
const smallestEntryBytes = 9;
const progressEvery = 4096;

/**
 * Indexes a received pack in one pass: names every object, resolves deltas in any order, completes a thin pack, and
 * writes the `.idx` beside it, both fsynced. Publishing (renaming both) is the caller's.
 *
 * Memory is bounded: some 60 bytes an object, 16 MB of recent objects, 32 MB of those that are not so small, and what it takes to
 * hold a blob of `largeBlobBytes`, or the largest tree, a few times. Where a delta is built on a larger blob, that is written to a file
 * without a name beside the pack: one or two at once, or several of 256 MB together.
 * Throws PackRejected for whatever is wrong with the pack; CorruptPack if `bases` cannot be read; StorageFull.
 */
export function indexPack(options: IndexPackOptions): ReceivedPack {
  if (!options.path.endsWith(".pack")) {
    throw new InvalidInput(`Cannot index "${options.path}": its name does not end in ".pack"`);
  }
  // Only what lacks its bases is completed. A stored pack that is checked may be closed to writing.
  const descriptor = openSync(options.path, (options.bases?.size ?? 0) === 0 ? "r" : "r+");
  try {
    using indexing = new Indexing(options, descriptor);
    return indexing.run();
  } finally {
    closeSync(descriptor);
  }
}

class Indexing implements Disposable {
  private readonly input: PackInput;
  private readonly table: EntryTable;
  private readonly resolver: DeltaResolver;
  private readonly pending: PendingDeltas;
  private readonly received: ReceivedObjects;
  /** Entries by oid: made when the first delta names its base so, since most packs have none. */
  private resolved: OidMap | null = null;
  private readonly objectCount: number;
  /** For the first pack of a repository: what is added to others names what is there already. */
  private readonly links: LinkCounter | null;
  private instructions = new Uint8Array(256 * 1024);
  private longestName = 0;
  private readonly quiet: QuietCommits;
  private readonly step = (): void =>
    this.options.onProgress?.(this.table.count - this.pending.count, this.objectCount);

  constructor(
    private readonly options: IndexPackOptions,
    private readonly descriptor: number,
  ) {
    const { format, path } = options;
    const limits = { ...options.limits, objectBytes: Math.min(options.limits.objectBytes, largestObjectBytes) };
    const packBytes = fstatSync(descriptor).size;
    const buffers = options.buffers ?? new IndexBuffers();
    this.input = new PackInput(format, descriptor, path, packBytes, buffers);
    this.objectCount = this.input.objectCount;
    if (this.objectCount > limits.objectCount) {
      throw new PackRejected(
        "too-large",
        `Cannot accept the pack: ${this.objectCount} objects, where ${limits.objectCount} are allowed`,
      );
    }
    if (this.objectCount * smallestEntryBytes > packBytes) {
      throw new PackRejected(
        "truncated",
        `Cannot accept the pack: ${packBytes} bytes cannot hold ${this.objectCount} objects`,
      );
    }
    this.links =
      options.check === "strict" && (options.bases?.size ?? 0) === 0 ? new LinkCounter(format, this.objectCount) : null;
    this.quiet = new QuietCommits(format);
    this.table = new EntryTable(this.objectCount, format.oidBytes);
    this.pending = new PendingDeltas(this.objectCount, format.oidBytes);
    this.received = new ReceivedObjects(
      format,
      options.check === "strict",
      options.bases,
      dirname(path),
      options.awaitedFiles ?? null,
    );
    this.resolver = new DeltaResolver({
      format,
      limits,
      largeBlobBytes: options.largeBlobBytes ?? largeBlobBytes,
      table: this.table,
      entries: this.objectCount,
      descriptor,
      path,
      packBytes,
      bases: options.bases,
      buffers,
      onObject: (entry, type, bytes, at, size) => this.onObject(entry, type, bytes, at, size),
      onLargeBlob: (entry, size) => this.onLargeBlob(entry, size),
      step: this.step,
    });
  }

  [Symbol.dispose](): void {
    this.resolver[Symbol.dispose]();
  }

  run(): ReceivedPack {
    const { table, options } = this;
    this.readEntries();
    let checksum = this.input.finish();
    const added = this.resolvePending();
    const sorted = this.sortUnique();
    const absentFiles = this.received.finish((oid) => {
      const entry = findSorted(table, sorted, oid);
      return entry < 0
        ? null
        : {
            type: table.types[entry] as ObjectType,
            size: table.objectSizes[entry]!,
            read: () => this.resolver.content(entry),
          };
    });
    let index = sorted;
    if (added.length > 0) {
      const firstAdded = table.count;
      this.addEntries(added);
      const { descriptor, step } = this;
      const isLarge = (entry: number): boolean => this.resolver.isLargeEntry(entry);
      checksum = completeThinPack(
        { descriptor, path: options.path, format: options.format, table, isLarge, step },
        options.bases!,
        added,
        firstAdded,
      );
      index = sortByOid(table);
    }
    fsyncSync(this.descriptor);
    const indexPath = indexPathOf(options.path);
    writeSynced(indexPath, writePackIndex(table, index, checksum, options.format));
    return {
      checksum: bytesToHex(checksum),
      packPath: options.path,
      indexPath,
      objectCount: table.count,
      packBytes: fstatSync(this.descriptor).size,
      links: this.links?.finish(table, index) ?? null,
      longestName: this.longestName,
      quiet: this.quiet.finish(),
      added,
      absentFiles,
    };
  }

  /** The pass through the file: each entry is inflated once, and resolved if its base came before it. */
  private readEntries(): void {
    const { input, table, resolver } = this;
    const { header } = input;
    const inflate = (bytes: Uint8Array, at: number): void => input.inflate(bytes, at);
    for (let left = this.objectCount; left > 0; left--) {
      const entry = table.add();
      table.offsets[entry] = input.offset;
      input.readHeader();
      const type = header.kind < EntryKind.ofsDelta ? (header.kind as ObjectType) : null;
      resolver.checkObjectSize(header.size, type);
      table.headerBytes[entry] = header.headerBytes;
      table.dataSizes[entry] = header.size;
      if (type === null) {
        this.readDelta(entry);
      } else if (resolver.isLarge(type, header.size)) {
        resolver.addLarge(entry, header.size, this.largeData(entry));
      } else {
        resolver.addWhole(entry, type, header.size, inflate);
      }
      table.crcs[entry] = input.entryCrc();
      table.offsets[entry + 1] = input.offset;
      if (entry % progressEvery === 0) {
        this.step();
      }
    }
  }

  /** The data of the entry whose header was read, which can be read again from the file after that. */
  private *largeData(entry: number): Generator<Uint8Array, void> {
    yield* this.input.inflatePieces(this.step);
    this.table.offsets[entry + 1] = this.input.offset;
  }

  private readDelta(entry: number): void {
    const { input, table, resolver } = this;
    const { kind, size, baseDistance, baseOidAt } = input.header;
    let base: number;
    if (kind === EntryKind.ofsDelta) {
      base = table.findOffset(table.offsets[entry]! - baseDistance, entry);
      if (base < 0) {
        throw new PackRejected(
          "malformed",
          `Cannot accept the pack: the base of the delta at byte ${table.offsets[entry]} is not an entry`,
        );
      }
      if (table.types[base] === 0) {
        this.pending.waitForEntry(entry, base);
      }
    } else {
      base = this.entriesByOid().get(input.headerBytes, baseOidAt);
      if (base < 0) {
        this.pending.waitForOid(entry, input.headerBytes, baseOidAt);
      }
    }
    const isResolvable = base >= 0 && table.types[base] !== 0;
    resolver.countInstructions(size);
    if (resolver.isLarge(null, size)) {
      // To find where it ends, and that it does; it is read again to be applied.
      for (const _ of this.largeData(entry)) {
        this.step();
      }
      if (isResolvable) {
        resolver.resolveStored(entry, base);
      }
      return;
    }
    if (this.instructions.length < size + inflateSpareBytes) {
      this.instructions = new Uint8Array(size + (size >> 1) + inflateSpareBytes);
    }
    input.inflate(this.instructions, 0);
    table.offsets[entry + 1] = input.offset;
    if (isResolvable) {
      resolver.resolve(entry, base, this.instructions, size);
    }
  }

  /**
   * Resolves deltas that came before their base, then those whose base only `bases` has. Returns the positions there
   * of the objects that the pack lacks.
   */
  private resolvePending(): number[] {
    const { pending, table } = this;
    if (pending.count === 0) {
      return [];
    }
    const resolved = this.entriesByOid();
    pending.forEachOid((oids, at) => {
      const entry = resolved.get(oids, at);
      if (entry >= 0) {
        this.resolveFrom(entry);
      }
    });
    const external: { entry: number; position: number }[] = [];
    pending.forEachOid((oids, at) => {
      const position = this.options.bases?.find(oids, at) ?? -1;
      if (position < 0) {
        const oid = bytesToHex(oids, at, table.oidBytes);
        throw new PackRejected(
          "missing-base",
          `Cannot accept the pack: it has a delta of the object ${oid}, which is missing`,
          oid,
        );
      }
      // A base is an entry behind those of the pack as long as it takes to resolve what is built on it.
      const entry = table.add();
      this.resolver.addExternal(entry, position);
      external.push({ entry, position });
      this.resolveFrom(entry);
    });
    return this.withoutReceived(external);
  }

  /** Resolves everything that is built on an entry, depth first. */
  private resolveFrom(first: number): void {
    const { table, pending } = this;
    const stack = [first];
    for (let base = stack.pop(); base !== undefined; base = stack.pop()) {
      for (const delta of pending.take(base, table.oids, base * table.oidBytes)) {
        this.resolver.resolveStored(delta, base);
        stack.push(delta);
        this.options.onProgress?.(this.objectCount - pending.count, this.objectCount);
      }
    }
  }

  /**
   * A base that was taken from the repository may turn out to be in the pack too, as a delta of another such base: then
   * it is not added. Only if its own chain comes back to itself, nothing in the pack would hold it up.
   */
  private withoutReceived(external: readonly { entry: number; position: number }[]): number[] {
    const { table } = this;
    const twins = new Map<number, number>();
    for (const { entry } of external) {
      const twin = this.entriesByOid().get(table.oids, entry * table.oidBytes);
      if (twin >= 0) {
        twins.set(entry, twin);
      }
    }
    for (const twin of twins.values()) {
      let at = twin;
      for (let steps = 0; table.bases[at]! >= 0; steps++) {
        if (steps > table.count) {
          throw new PackRejected(
            "malformed",
            "Cannot accept the pack: a chain of deltas leads back to itself",
            bytesToHex(table.oid(twin)),
          );
        }
        const base = table.bases[at]!;
        at = twins.get(base) ?? base;
      }
    }
    table.count = this.objectCount;
    return external.filter(({ entry }) => !twins.has(entry)).map(({ position }) => position);
  }

  /** Enters the objects at these positions of `bases` into the table, behind the received ones. */
  private addEntries(positions: readonly number[]): void {
    for (const position of positions) {
      const entry = this.table.add();
      this.resolver.addExternal(entry, position);
    }
  }

  private sortUnique(): Uint32Array {
    const { table } = this;
    return sortByOid(table, (entry) => {
      const hex = bytesToHex(table.oid(entry));
      throw new PackRejected("duplicate", `Cannot accept the pack: it holds the object ${hex} twice`, hex);
    });
  }

  private onObject(entry: number, type: ObjectType, bytes: Uint8Array, at: number, size: number): void {
    const { table } = this;
    this.resolved?.set(table.oids, entry * table.oidBytes, entry);
    const { links } = this;
    const isAlike = links !== null && type === ObjectType.tree && links.takeTree(entry, bytes, at, size);
    if (this.options.content !== undefined && !isAlike) {
      this.checkContent(type, bytes, at, size, this.options.content);
    }
    this.received.take(type, bytes, at, size, table.oids, entry * table.oidBytes, isAlike);
    if (type === ObjectType.commit) {
      this.quiet.take(bytes, at, size, table.oids, entry * table.oidBytes);
    }
    if (links !== null && type !== ObjectType.tree) {
      links.take(entry, type, bytes, at);
    }
  }

  private checkContent(type: ObjectType, bytes: Uint8Array, at: number, size: number, limits: ContentLimits): void {
    if (type === ObjectType.tree) {
      this.longestName = Math.max(this.longestName, longestNameIn(bytes, at, size, this.table.oidBytes));
      return;
    }
    const problem = findTooLong(type, bytes, at, size, limits);
    if (problem !== null) {
      throw new PackRejected("too-large", `Cannot accept the pack: ${problem}`);
    }
  }

  private onLargeBlob(entry: number, size: number): void {
    const { table } = this;
    this.resolved?.set(table.oids, entry * table.oidBytes, entry);
    this.received.takeLarge(size, table.oids, entry * table.oidBytes, () => this.resolver.largePieces(entry));
  }

  private entriesByOid(): OidMap {
    if (this.resolved === null) {
      const { table } = this;
      this.resolved = new OidMap(table.oidBytes);
      for (let entry = 0; entry < table.count; entry++) {
        if (table.types[entry] !== 0) {
          this.resolved.set(table.oids, entry * table.oidBytes, entry);
        }
      }
    }
    return this.resolved;
  }
}

function findSorted(table: EntryTable, sorted: Uint32Array, oid: Uint8Array): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (Buffer.compare(table.oid(sorted[middle]!), oid) < 0) low = middle + 1;
    else high = middle;
  }
  return low < sorted.length && Buffer.compare(table.oid(sorted[low]!), oid) === 0 ? sorted[low]! : -1;
}
