import { closeSync, fsyncSync, openSync } from "node:fs";
import { InvalidInput } from "../../lib/errors.ts";
import { hashObject } from "../objects/hash-object.ts";
import type { ObjectFormat } from "../objects/object-format.ts";
import type { GitObject } from "../objects/object-type.ts";
import { bytesToHex } from "../objects/oid.ts";
import { EntryTable } from "./entry-table.ts";
import type { IndexedPack } from "./index-pack.ts";
import { OidMap } from "./oid-map.ts";
import { packedEntry, sealPack, writeFully, writeSynced } from "./pack-output.ts";
import { sortByOid, writePackIndex } from "./write-pack-index.ts";

/**
 * Writes objects that are in memory, as the API makes them, as a pack at `path` (a temporary name ending in `.pack`)
 * with its index beside it, both fsynced. Equal objects are written once; no deltas are made. Publishing is the caller's.
 */
export function writePack(format: ObjectFormat, path: string, objects: Iterable<GitObject>): IndexedPack {
  if (!path.endsWith(".pack")) {
    throw new InvalidInput(`Cannot write a pack to "${path}": its name does not end in ".pack"`);
  }
  const table = new EntryTable(64, format.oidBytes);
  const known = new OidMap(format.oidBytes);
  const descriptor = openSync(path, "wx+", 0o600);
  try {
    let end = 12;
    for (const object of objects) {
      const oid = hashObject(format, object.type, object.bytes);
      if (known.get(oid, 0) >= 0) {
        continue;
      }
      const entry = table.add();
      known.set(oid, 0, entry);
      const { bytes } = packedEntry(object);
      writeFully(descriptor, bytes, end);
      table.oids.set(oid, entry * format.oidBytes);
      table.offsets[entry] = end;
      table.crcs[entry] = Bun.hash.crc32(bytes);
      end += bytes.length;
      table.offsets[entry + 1] = end;
    }
    const checksum = sealPack(descriptor, path, format, table.count, end);
    fsyncSync(descriptor);
    const indexPath = path.replace(/\.pack$/, ".idx");
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
