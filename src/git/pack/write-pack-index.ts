import { compileLightly } from "../../lib/compile-lightly.ts";
import type { ObjectFormat } from "../objects/object-format.ts";
import { compareOids } from "../objects/oid.ts";
import type { EntryTable } from "./entry-table.ts";

/** Offsets from here on go into the table of 64-bit ones. */
const largeOffset = 2 ** 31;

/** The entries of a table in the order of their oids, equal ones in the order of the pack. */
export function sortByOid(table: EntryTable): Uint32Array {
  const { count, oids, oidBytes } = table;
  // By the first two bytes in linear time, then the few of each bucket by comparison.
  const ends = new Uint32Array(65_537);
  for (let entry = 0; entry < count; entry++) {
    ends[prefixOf(oids, entry * oidBytes) + 1]!++;
  }
  for (let prefix = 0; prefix < 65_536; prefix++) {
    ends[prefix + 1]! += ends[prefix]!;
  }
  const starts = ends.slice();
  const sorted = new Uint32Array(count);
  for (let entry = 0; entry < count; entry++) {
    sorted[starts[prefixOf(oids, entry * oidBytes)]!++] = entry;
  }
  for (let prefix = 0; prefix < 65_536; prefix++) {
    if (ends[prefix + 1]! - ends[prefix]! > 1) {
      sorted
        .subarray(ends[prefix], ends[prefix + 1])
        .sort((left, right) => compareOids(oids, left * oidBytes, oids, right * oidBytes, oidBytes) || left - right);
    }
  }
  return sorted;
}

/** The bytes of the index (version 2, see pack-index.ts) of a pack whose entries are all resolved. */
export function writePackIndex(table: EntryTable, sorted: Uint32Array, packChecksum: Uint8Array, format: ObjectFormat): Uint8Array {
  const { count, oids, oidBytes } = table;
  let largeOffsets = 0;
  for (let entry = 0; entry < count; entry++) {
    if (table.offsets[entry]! >= largeOffset) {
      largeOffsets++;
    }
  }
  const bytes = new Uint8Array(8 + 1024 + count * (oidBytes + 8) + 8 * largeOffsets + 2 * oidBytes);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 0xff744f63);
  view.setUint32(4, 2);
  const oidsAt = 8 + 1024;
  const crcsAt = oidsAt + count * oidBytes;
  const offsetsAt = crcsAt + 4 * count;
  let largeAt = offsetsAt + 4 * count;
  const largeStart = largeAt;
  for (let position = 0; position < count; position++) {
    const entry = sorted[position]!;
    // A loop beats the view that a copy by call would need.
    for (let from = entry * oidBytes, to = oidsAt + position * oidBytes, end = from + oidBytes; from < end; ) {
      bytes[to++] = oids[from++]!;
    }
    view.setUint32(crcsAt + 4 * position, table.crcs[entry]!);
    const offset = table.offsets[entry]!;
    if (offset < largeOffset) {
      view.setUint32(offsetsAt + 4 * position, offset);
    } else {
      view.setUint32(offsetsAt + 4 * position, largeOffset + (largeAt - largeStart) / 8);
      view.setBigUint64(largeAt, BigInt(offset));
      largeAt += 8;
    }
    view.setUint32(8 + 4 * oids[entry * oidBytes]!, position + 1);
  }
  // First bytes that no oid has count like the one before.
  for (let byte = 1; byte < 256; byte++) {
    view.setUint32(8 + 4 * byte, Math.max(view.getUint32(8 + 4 * byte), view.getUint32(4 + 4 * byte)));
  }
  bytes.set(packChecksum, largeAt);
  format.hashInto(bytes.subarray(0, largeAt + oidBytes), bytes.subarray(largeAt + oidBytes));
  return bytes;
}

function prefixOf(oids: Uint8Array, at: number): number {
  return (oids[at]! << 8) | oids[at + 1]!;
}

compileLightly(sortByOid, writePackIndex);
