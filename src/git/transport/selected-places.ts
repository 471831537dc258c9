import type { Bitset } from "../graph/bitset.ts";
import type { Selection } from "../graph/select-objects.ts";
import type { ObjectDatabase } from "../odb/object-database.ts";
import type { PackFile } from "../pack/pack-file.ts";

/** With fewer of a pack's entries than one in so many, they are looked up in its order, else it is gone through. */
const fewShare = 32;

/** Whether anything of a pack is selected: the order of a large pack takes a while to find, and memory to keep. */
export function hasAny({ objects }: Selection, start: number, entryCount: number): boolean {
  for (let position = start; position < start + entryCount; position++) {
    if (objects.has(position)) {
      return true;
    }
  }
  return false;
}

/** The places of what is selected of a pack, ascending; null when they are many. `start`: of the pack in its database. */
export function findFew({ objects, count }: Selection, pack: PackFile, start: number): Uint32Array | null {
  if (count * fewShare > pack.entryCount) {
    return null;
  }
  const places: number[] = [];
  for (const position of objects) {
    if (position >= start && position < start + pack.entryCount) {
      places.push(pack.order.orderAtOffset(pack.index.offsetAt(position - start)));
    }
  }
  return Uint32Array.from(places).sort();
}

/** How many bytes the selected entries take as they are stored. What is a delta of an object that is not sent takes more when it is sent. */
export function storedBytes(db: ObjectDatabase, selection: Selection): number {
  let bytes = 0;
  for (const [number, pack] of db.packs.entries()) {
    const start = db.startOf(number);
    if (hasAny(selection, start, pack.entryCount)) {
      const few = findFew(selection, pack, start);
      bytes +=
        few === null
          ? bytesOfMany(selection.objects, pack, start)
          : few.reduce((sum, place) => sum + bytesAt(pack, place), 0);
    }
  }
  return bytes;
}

function bytesOfMany(objects: Bitset, pack: PackFile, start: number): number {
  let bytes = 0;
  for (let place = 0; place < pack.entryCount; place++) {
    if (objects.has(start + pack.order.positionAt(place))) {
      bytes += bytesAt(pack, place);
    }
  }
  return bytes;
}

function bytesAt({ order }: PackFile, place: number): number {
  return order.endAt(place) - order.offsetAt(place);
}
