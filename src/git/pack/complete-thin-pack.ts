import type { ObjectFormat } from "../objects/object-format.ts";
import type { GitObject } from "../objects/object-type.ts";
import type { EntryTable } from "./entry-table.ts";
import { packedEntry, sealPack, writeFully } from "./pack-output.ts";

/**
 * Makes a thin pack stand alone: writes the entries of the table from `firstAdded` on, whose objects it lacks, over its
 * checksum, then the new count and a new checksum, which is returned. Fills in the columns of these entries.
 * `read(n)` gives the object of the n-th of them.
 */
export function completeThinPack(
  descriptor: number,
  path: string,
  format: ObjectFormat,
  table: EntryTable,
  firstAdded: number,
  read: (number: number) => GitObject,
): Uint8Array {
  let end = table.offsets[firstAdded]!;
  for (let entry = firstAdded; entry < table.count; entry++) {
    const { headerBytes, bytes } = packedEntry(read(entry - firstAdded));
    writeFully(descriptor, bytes, end);
    table.offsets[entry] = end;
    table.headerBytes[entry] = headerBytes;
    table.crcs[entry] = Bun.hash.crc32(bytes);
    end += bytes.length;
    table.offsets[entry + 1] = end;
  }
  return sealPack(descriptor, path, format, table.count, end);
}
