import { bytesToHex } from "../objects/oid.ts";
import type { ObjectDatabase } from "../odb/object-database.ts";

const shortest = 7;

/**
 * The first digits of an oid, so many that no other object of the repository begins with them, and at least as many as
 * git takes for a repository of this size: enough that collisions stay unlikely.
 */
export function abbreviateOid(odb: ObjectDatabase, oid: Uint8Array): string {
  const objects = odb.size;
  let digits = Math.max(shortest, Math.ceil((objects === 0 ? 1 : 32 - Math.clz32(objects)) / 2));
  for (const pack of odb.packs) {
    const { index } = pack;
    const at = index.firstAtLeast(oid);
    const found = at < pack.entryCount && Buffer.compare(index.oidAt(at), oid) === 0;
    for (const neighbour of [at - 1, found ? at + 1 : at]) {
      if (neighbour >= 0 && neighbour < pack.entryCount) {
        digits = Math.max(digits, 1 + commonDigits(index.oidAt(neighbour), oid));
      }
    }
  }
  return bytesToHex(oid).slice(0, digits);
}

function commonDigits(left: Uint8Array, right: Uint8Array): number {
  let at = 0;
  while (at < left.length && left[at] === right[at]) {
    at++;
  }
  return 2 * at + (at < left.length && left[at]! >> 4 === right[at]! >> 4 ? 1 : 0);
}
