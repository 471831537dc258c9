import { EntryKind } from "../pack/pack-entry.ts";
import { PackEntry } from "../pack/pack-file.ts";
import { typeName, type ObjectTypeName } from "../objects/object-type.ts";
import type { ObjectDatabase } from "../odb/object-database.ts";

export interface LargeObject {
  readonly oid: string;
  readonly type: ObjectTypeName;
  /** inflated, bytes */
  readonly bytes: number;
}

/** Counts of a repository's packs; an object in several packs is counted once. */
export interface PackStatistics {
  readonly objects: Readonly<Record<ObjectTypeName, number>>;
  /** inflated, by type, bytes */
  readonly bytes: Readonly<Record<ObjectTypeName, number>>;
  /** objects that are stored as deltas, and the longest chain of them */
  readonly deltas: number;
  readonly longestChain: number;
  /** entries that another pack has too */
  readonly duplicates: number;
  /** largest first */
  readonly largest: readonly LargeObject[];
}

const largestShown = 10;

/** Counts by reading headers; inflates only the first bytes of deltas. `step` is called now and then and may throw. */
export function packStatistics(db: ObjectDatabase, step: (done: number, total: number) => void): PackStatistics {
  const objects = { commit: 0, tree: 0, blob: 0, tag: 0 };
  const bytes = { commit: 0, tree: 0, blob: 0, tag: 0 };
  const chains = chainsOf(db, step);
  let largest: { position: number; size: number }[] = [];
  let duplicates = 0;
  for (let position = 0; position < db.size; position++) {
    if (position % 4096 === 0) {
      step(position, db.size);
    }
    if (db.canonical(position) !== position) {
      duplicates++;
      continue;
    }
    const type = typeName(db.typeAt(position));
    const size = db.sizeAt(position);
    objects[type]++;
    bytes[type] += size;
    if (largest.length < largestShown || size > largest.at(-1)!.size) {
      largest = [...largest, { position, size }].sort((left, right) => right.size - left.size).slice(0, largestShown);
    }
  }
  return {
    objects,
    bytes,
    ...chains,
    duplicates,
    largest: largest.map(({ position, size }) => ({
      oid: db.hexAt(position),
      type: typeName(db.typeAt(position)),
      bytes: size,
    })),
  };
}

function chainsOf(
  db: ObjectDatabase,
  step: (done: number, total: number) => void,
): { deltas: number; longestChain: number } {
  const entry = new PackEntry();
  let deltas = 0;
  let longestChain = 0;
  for (const pack of db.packs) {
    const { order, entryCount } = pack;
    const depths = new Uint16Array(entryCount);
    for (let at = 0; at < entryCount; at++) {
      if (at % 4096 === 0) {
        step(at, entryCount);
      }
      pack.readHeader(order.offsetAt(at), entry);
      if (entry.kind >= EntryKind.ofsDelta) {
        deltas++;
        // A base named by oid may stand behind its delta; its own chain is not counted then.
        depths[at] = depths[order.orderAtOffset(entry.baseOffset)]! + 1;
        longestChain = Math.max(longestChain, depths[at]!);
      }
    }
  }
  return { deltas, longestChain };
}
