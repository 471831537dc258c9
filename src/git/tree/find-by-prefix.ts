import { bytesToHex } from "../objects/oid.ts";
import type { ObjectDatabase } from "../odb/object-database.ts";

/** Position of the one object whose hexadecimal oid begins with `prefix` (lower case); -1 for none and for several. */
export function findByPrefix(odb: ObjectDatabase, prefix: string): number {
  let found = -1;
  for (const [number, pack] of odb.packs.entries()) {
    let low = 0;
    let high = pack.entryCount;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (bytesToHex(pack.index.oidAt(middle)) < prefix) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    for (; low < pack.entryCount && bytesToHex(pack.index.oidAt(low)).startsWith(prefix); low++) {
      const position = odb.canonical(odb.startOf(number) + low);
      if (found >= 0 && found !== position) {
        return -1;
      }
      found = position;
    }
  }
  return found;
}
