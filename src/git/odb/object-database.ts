import { dirname } from "node:path";
import { StithyError } from "../../lib/errors.ts";
import type { ObjectFormat } from "../objects/object-format.ts";
import type { GitObject, ObjectType } from "../objects/object-type.ts";
import { bytesToHex, hexToBytes } from "../objects/oid.ts";
import { OidMap } from "../pack/oid-map.ts";
import type { PackFile } from "../pack/pack-file.ts";
import { checkPackedObject, readPackedObjectUpTo } from "../pack/read-object.ts";
import { readPackedPieces, type PiecesWanted } from "../pack/read-pieces.ts";
import type { UncachedReader } from "../pack/uncached-reader.ts";
import type { EngineCaches } from "./engine-caches.ts";

/** An object that something refers to is in none of the repository's packs. */
export class MissingObject extends StithyError {
  constructor(readonly oid: string) {
    super("fault", "missing-object", `Cannot find the object ${oid}`, { oid });
  }
}

/** So many packs are asked one after another in less time than it takes to put their oids together. */
const fewPacks = 8;
/** At the most so many entries of packs are put together. */
const gatheredEntries = 16_384;

/** The entries of the first packs, in one map. */
interface GatheredPacks {
  /** how many packs these are */
  readonly count: number;
  /** the canonical position of each oid */
  readonly positions: OidMap;
}

/**
 * The objects of a repository: those of all its packs, addressed by number. Pack after pack, each entry has a
 * *position* in `[0, size)`, so that sets of objects are bitsets. An oid that several packs hold has one canonical
 * position, in the first of them; `find` returns only canonical ones.
 *
 * Synchronous, so used inside workers only. Methods that read throw CorruptPack for a damaged pack.
 */
export class ObjectDatabase implements Disposable {
  readonly size: number;
  /** First position of each pack. */
  private readonly starts: number[] = [];
  private readonly scratchOid: Uint8Array;
  /** Made when it is first needed; null: there are few packs, or large ones. */
  private gathered: GatheredPacks | null | undefined;

  private constructor(
    readonly format: ObjectFormat,
    readonly packs: readonly PackFile[],
    private readonly caches: EngineCaches,
  ) {
    let size = 0;
    for (const pack of packs) {
      this.starts.push(size);
      size += pack.entryCount;
    }
    this.size = size;
    this.scratchOid = new Uint8Array(format.oidBytes);
  }

  /** `packPaths`: `.pack` files, absolute, newest first, each with its `.idx` beside it. Throws CorruptPack. */
  static open(format: ObjectFormat, packPaths: readonly string[], caches: EngineCaches): ObjectDatabase {
    const packs: PackFile[] = [];
    try {
      for (const path of packPaths) {
        packs.push(caches.acquirePack(format, path));
      }
    } catch (error) {
      for (const pack of packs) {
        caches.releasePack(pack.path);
      }
      throw error;
    }
    return new ObjectDatabase(format, packs, caches);
  }

  [Symbol.dispose](): void {
    for (const pack of this.packs) {
      this.caches.releasePack(pack.path);
    }
  }

  /** The canonical position of the oid at `oid[at]`, or -1. With `firstPack`, the position in that pack or the first after it. */
  find(oid: Uint8Array, at = 0, firstPack = 0): number {
    let number = firstPack;
    if (number === 0 && this.packs.length > fewPacks) {
      if (this.gathered === undefined) this.gathered = this.gather();
      if (this.gathered !== null) {
        const known = this.gathered.positions.get(oid, at);
        if (known >= 0) {
          return known;
        }
        number = this.gathered.count;
      }
    }
    for (; number < this.packs.length; number++) {
      const position = this.packs[number]!.index.find(oid, at);
      if (position >= 0) {
        return this.starts[number]! + position;
      }
    }
    return -1;
  }

  /** The canonical position of a hexadecimal oid, or -1. Throws InvalidInput if it is none. */
  findHex(hex: string): number {
    return hex.length === this.format.hexLength ? this.find(hexToBytes(hex, this.scratchOid)) : -1;
  }

  /** The oid at a position: a view, not to be kept or written to. */
  oidAt(position: number): Uint8Array {
    const number = this.packNumberOf(position);
    return this.packs[number]!.index.oidAt(position - this.starts[number]!);
  }

  hexAt(position: number): string {
    return bytesToHex(this.oidAt(position));
  }

  /** The type of an object: follows deltas, inflates nothing. */
  typeAt(position: number): ObjectType {
    const number = this.packNumberOf(position);
    return this.packs[number]!.typeAt(position - this.starts[number]!);
  }

  /** The inflated size of an object in bytes, without inflating it. */
  sizeAt(position: number): number {
    const number = this.packNumberOf(position);
    return this.packs[number]!.sizeAt(position - this.starts[number]!);
  }

  /** The object at a position. Its bytes may be shared with a cache: never write to them. What may be large is for `readPieces`. */
  read(position: number): GitObject {
    return this.readUpTo(position, Number.POSITIVE_INFINITY)!;
  }

  /** As `read`; null for an object of more than `limit` bytes. */
  readUpTo(position: number, limit: number): GitObject | null {
    const number = this.packNumberOf(position);
    const pack = this.packs[number]!;
    const { objects, large } = this.caches;
    const object = readPackedObjectUpTo(
      pack,
      pack.index.offsetAt(position - this.starts[number]!),
      objects,
      limit,
      large.fromBytes,
    );
    return object === undefined ? this.readLargeUpTo(position, limit) : object;
  }

  /** A larger object is better read in pieces, bytes. */
  get largeBytes(): number {
    return this.caches.large.fromBytes;
  }

  /**
   * The content of an object, in pieces (see readPackedPieces): for what is too large to be held. `directory` is where
   * files without a name are made; beside the pack unless given.
   */
  readPieces(position: number, directory?: string, wanted: PiecesWanted = {}): Generator<Uint8Array, void, void> {
    const { pack, offset } = this.entryOf(position);
    return readPackedPieces(
      pack,
      offset,
      { reads: this.caches.large, directory: directory ?? dirname(pack.path) },
      wanted,
    );
  }

  /** As `read`, for what is handed out as it is: a damaged header cannot make other bytes of it. */
  readChecked(position: number): GitObject {
    const { pack, offset } = this.entryOf(position);
    checkPackedObject(pack, offset);
    return this.read(position);
  }

  /** As `readUpTo`, for an object that is hardly asked for again; it is valid until the next of any reader. */
  readOnceUpTo(position: number, reader: UncachedReader, limit: number): GitObject | null {
    const number = this.packNumberOf(position);
    const pack = this.packs[number]!;
    const found = reader.find(pack, pack.index.offsetAt(position - this.starts[number]!), this.caches.objects);
    return found !== null && found.bytes.length <= limit ? found : this.readUpTo(position, limit);
  }

  /** Reads once without a limit; null for an object that is large, or built on a large one: `readPieces` reads those. */
  readOnceSmall(position: number, reader: UncachedReader): GitObject | null {
    const { pack, offset } = this.entryOf(position);
    const { objects, large } = this.caches;
    const found = reader.find(pack, offset, objects);
    return found !== null && found.bytes.length <= large.fromBytes
      ? found
      : (readPackedObjectUpTo(pack, offset, objects, Number.POSITIVE_INFINITY, large.fromBytes) ?? null);
  }

  /** The object with a hexadecimal oid. Throws MissingObject. */
  readHex(hex: string): GitObject {
    const position = this.findHex(hex);
    if (position < 0) {
      throw new MissingObject(hex);
    }
    return this.read(position);
  }

  /** Which of `packs` holds a position; that position minus `startOf` is the one in the pack's index. */
  packNumberOf(position: number): number {
    const { starts } = this;
    let low = 0;
    let high = starts.length - 1;
    // Most objects are in the oldest pack.
    if (high <= 0 || starts[high]! <= position) {
      return Math.max(high, 0);
    }
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (starts[middle]! <= position) low = middle;
      else high = middle;
    }
    return low;
  }

  /** The first position of a pack. */
  startOf(packNumber: number): number {
    return this.starts[packNumber]!;
  }

  /** The one position that stands for the object at `position`, which may be a copy in an older pack. */
  canonical(position: number): number {
    const number = this.packNumberOf(position);
    if (number === 0) {
      return position;
    }
    const { index } = this.packs[number]!;
    return this.find(index.bytes, index.oidOffset(position - this.starts[number]!));
  }

  /** Puts together what the first packs hold, as far as they are small: each push leaves one, and to ask hundreds of them for an oid takes long. */
  private gather(): GatheredPacks | null {
    const { packs, starts } = this;
    const end = packs.findIndex(({ entryCount }, number) => starts[number]! + entryCount > gatheredEntries);
    const count = end < 0 ? packs.length : end;
    if (count <= fewPacks) {
      return null;
    }
    const positions = new OidMap(this.format.oidBytes, starts[count] ?? this.size);
    // The last first, so that of several copies the one in the first pack stays.
    for (let number = count - 1; number >= 0; number--) {
      const { index, entryCount } = packs[number]!;
      for (let entry = 0; entry < entryCount; entry++) {
        positions.set(index.bytes, index.oidOffset(entry), starts[number]! + entry);
      }
    }
    return { count, positions };
  }

  /** Where an object is stored. */
  private entryOf(position: number): { pack: PackFile; offset: number } {
    const number = this.packNumberOf(position);
    const pack = this.packs[number]!;
    return { pack, offset: pack.index.offsetAt(position - this.starts[number]!) };
  }

  /** For an object that is large, or built on one that is: without the objects on the way, and without others' turns. */
  private readLargeUpTo(position: number, limit: number): GitObject | null {
    const size = this.sizeAt(position);
    if (size > limit) {
      return null;
    }
    const bytes = new Uint8Array(size);
    let filled = 0;
    for (const piece of this.readPieces(position)) {
      bytes.set(piece, filled);
      filled += piece.length;
    }
    return { type: this.typeAt(position), bytes };
  }
}
