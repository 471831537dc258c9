import { closeSync, fsyncSync, openSync } from "node:fs";
import { InvalidInput } from "../../lib/errors.ts";
import { hashObject, hashPieces } from "../objects/hash-object.ts";
import type { ObjectFormat } from "../objects/object-format.ts";
import type { ObjectType } from "../objects/object-type.ts";
import { bytesToHex } from "../objects/oid.ts";
import { deflatePieces } from "./deflate-pieces.ts";
import { EntryTable } from "./entry-table.ts";
import type { IndexedPack } from "./indexed-pack.ts";
import { filedPieces, type FiledBytes } from "./filed-bytes.ts";
import { OidMap } from "./oid-map.ts";
import { writeEntryHeader } from "./pack-entry.ts";
import { packedEntry, sealPack, writeFully, writeSynced } from "./pack-output.ts";
import { sortByOid, writePackIndex } from "./write-pack-index.ts";
import { indexPathOf } from "./pack-paths.ts";

interface WritableObject {
  readonly type: ObjectType;
  readonly bytes: Uint8Array | FiledBytes;
}

/**
 * Writes objects that are in memory or in files, as the API makes them, as a pack at `path` (a temporary name ending in `.pack`)
 * with its index beside it, both fsynced. Equal objects are written once; no deltas are made. Publishing is the caller's.
 */
export function writePack(format: ObjectFormat, path: string, objects: Iterable<WritableObject>): IndexedPack {
  if (!path.endsWith(".pack")) {
    throw new InvalidInput(`Cannot write a pack to "${path}": its name does not end in ".pack"`);
  }
  const table = new EntryTable(64, format.oidBytes);
  const known = new OidMap(format.oidBytes);
  const descriptor = openSync(path, "wx+", 0o600);
  try {
    let end = 12;
    for (const { type, bytes } of objects) {
      const oid =
        bytes instanceof Uint8Array
          ? hashObject(format, type, bytes)
          : hashPieces(format, type, bytes.size, filedPieces(bytes));
      if (known.get(oid, 0) >= 0) {
        continue;
      }
      const entry = table.add();
      known.set(oid, 0, entry);
      table.oids.set(oid, entry * format.oidBytes);
      table.offsets[entry] = end;
      let crc = 0;
      for (const piece of bytes instanceof Uint8Array
        ? [packedEntry({ type, bytes }).bytes]
        : packedPieces(type, bytes)) {
        writeFully(descriptor, piece, end);
        crc = Bun.hash.crc32(piece, crc);
        end += piece.length;
      }
      table.crcs[entry] = crc;
      table.offsets[entry + 1] = end;
    }
    const checksum = sealPack(descriptor, path, format, table.count, end);
    fsyncSync(descriptor);
    const indexPath = indexPathOf(path);
    writeSynced(indexPath, writePackIndex(table, sortByOid(table), checksum, format));
    return {
      checksum: bytesToHex(checksum),
      packPath: path,
      indexPath,
      objectCount: table.count,
      packBytes: end + format.oidBytes,
    };
  } finally {
    closeSync(descriptor);
  }
}

/** The entry of an object in a file, in pieces. */
function* packedPieces(type: ObjectType, bytes: FiledBytes): Generator<Uint8Array, void> {
  const header = new Uint8Array(16);
  yield header.subarray(0, writeEntryHeader(header, 0, type, bytes.size));
  yield* deflatePieces(filedPieces(bytes));
}
