import { closeSync, fsyncSync, openSync } from "node:fs";
import { InvalidInput } from "../../lib/errors.ts";
import { hashObject, hashPieces } from "../objects/hash-object.ts";
import type { ObjectFormat } from "../objects/object-format.ts";
import type { ObjectType } from "../objects/object-type.ts";
import { bytesToHex, hexToBytes } from "../objects/oid.ts";
import { deflate } from "./deflate.ts";
import { encodeDelta } from "./delta-encode.ts";
import { deflatePieces } from "./deflate-pieces.ts";
import { EntryTable } from "./entry-table.ts";
import type { IndexedPack } from "./indexed-pack.ts";
import { filedPieces, type FiledBytes } from "./filed-bytes.ts";
import { OidMap } from "./oid-map.ts";
import { EntryKind, maxHeaderBytes, writeBaseDistance, writeEntryHeader } from "./pack-entry.ts";
import { packedEntry, sealPack, writeFully, writeSynced } from "./pack-output.ts";
import { sortByOid, writePackIndex } from "./write-pack-index.ts";
import { indexPathOf } from "./pack-paths.ts";

/** Another object with nearly the same bytes. */
export interface Likeness {
  /** hexadecimal */
  readonly oid: string;
  readonly bytes: Uint8Array;
}

export interface WritableObject {
  readonly type: ObjectType;
  readonly bytes: Uint8Array | FiledBytes;
  /** one that may have been written before: then a delta takes the place of the object, if it is less than half as long */
  readonly like?: Likeness | undefined;
}

/** Each delta of a chain is read for the last object of it. As many as git makes unless it is told otherwise. */
const longestChain = 50;

/**
 * Writes objects that are in memory or in files as a pack at `path` (a temporary name ending in `.pack`), one after the other, so that
 * none has to be kept. Equal objects are written once. Publishing is the caller's. Disposing closes the file, and leaves it.
 */
export class PackWriter implements Disposable {
  readonly #table: EntryTable;
  readonly #known: OidMap;
  readonly #descriptor: number;
  #end = 12;

  constructor(
    private readonly format: ObjectFormat,
    private readonly path: string,
  ) {
    if (!path.endsWith(".pack")) {
      throw new InvalidInput(`Cannot write a pack to "${path}": its name does not end in ".pack"`);
    }
    this.#table = new EntryTable(64, format.oidBytes);
    this.#known = new OidMap(format.oidBytes);
    this.#descriptor = openSync(path, "wx+", 0o600);
  }

  add(object: WritableObject): void {
    const { type, bytes } = object;
    const oid =
      bytes instanceof Uint8Array
        ? hashObject(this.format, type, bytes)
        : hashPieces(this.format, type, bytes.size, filedPieces(bytes));
    if (this.#known.get(oid, 0) >= 0) {
      return;
    }
    const table = this.#table;
    const entry = table.add();
    this.#known.set(oid, 0, entry);
    table.oids.set(oid, entry * this.format.oidBytes);
    table.offsets[entry] = this.#end;
    let crc = 0;
    for (const piece of this.#piecesOf(object, entry)) {
      writeFully(this.#descriptor, piece, this.#end);
      crc = Bun.hash.crc32(piece, crc);
      this.#end += piece.length;
    }
    table.crcs[entry] = crc;
    table.offsets[entry + 1] = this.#end;
  }

  #piecesOf({ type, bytes, like }: WritableObject, entry: number): Iterable<Uint8Array> {
    if (!(bytes instanceof Uint8Array)) {
      return packedPieces(type, bytes);
    }
    const delta = like === undefined ? null : this.#deltaOf(bytes, like, entry);
    return [delta ?? packedEntry({ type, bytes }).bytes];
  }

  /** The entry of a delta; null where the other object is not here, or too different. */
  #deltaOf(bytes: Uint8Array, like: Likeness, entry: number): Uint8Array | null {
    const { depths, offsets } = this.#table;
    const base = this.#known.get(hexToBytes(like.oid), 0);
    const depth = base < 0 ? longestChain : depths[base]!;
    const delta = depth >= longestChain ? null : encodeDelta(like.bytes, bytes, bytes.length / 2);
    if (delta === null) {
      return null;
    }
    depths[entry] = depth + 1;
    const header = new Uint8Array(maxHeaderBytes);
    const sizeEnd = writeEntryHeader(header, 0, EntryKind.ofsDelta, delta.length);
    const end = writeBaseDistance(header, sizeEnd, offsets[entry]! - offsets[base]!);
    return Buffer.concat([header.subarray(0, end), deflate(delta, 6)]);
  }

  /** Ends the pack and writes its index beside it, both fsynced. */
  finish(): IndexedPack {
    const { format, path } = this;
    const table = this.#table;
    const checksum = sealPack(this.#descriptor, path, format, table.count, this.#end);
    fsyncSync(this.#descriptor);
    const indexPath = indexPathOf(path);
    writeSynced(indexPath, writePackIndex(table, sortByOid(table), checksum, format));
    return {
      checksum: bytesToHex(checksum),
      packPath: path,
      indexPath,
      objectCount: table.count,
      packBytes: this.#end + format.oidBytes,
    };
  }

  [Symbol.dispose](): void {
    closeSync(this.#descriptor);
  }
}

/** Writes objects as a pack at `path`; see `PackWriter`. */
export function writePack(format: ObjectFormat, path: string, objects: Iterable<WritableObject>): IndexedPack {
  using writer = new PackWriter(format, path);
  for (const object of objects) {
    writer.add(object);
  }
  return writer.finish();
}

/** The entry of an object in a file, in pieces. */
function* packedPieces(type: ObjectType, bytes: FiledBytes): Generator<Uint8Array, void> {
  const header = new Uint8Array(16);
  yield header.subarray(0, writeEntryHeader(header, 0, type, bytes.size));
  yield* deflatePieces(filedPieces(bytes));
}
