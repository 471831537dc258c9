import { ObjectType } from "../objects/object-type.ts";
import type { ObjectDatabase } from "../odb/object-database.ts";
import { Bitset } from "./bitset.ts";
import { dependsOnPlace, type ObjectFilter } from "./object-filter.ts";

/** Filters that are remembered for one closure. */
const keptFilters = 4;
const stepObjects = 4096;

/** Closures after filters, remembered as long as the closure is. Each costs a bit for each object of the database. */
export class FilteredClosures {
  readonly #kept = new WeakMap<Bitset, Map<string, Bitset>>();

  constructor(private readonly db: ObjectDatabase) {}

  /**
   * The objects of `closure` that the filter keeps, and of the others those in `wanted`, which are what the closure is of.
   * The filter does not ask where things stand. Not to be written to. Yields how many objects it has looked at.
   * Throws CorruptPack.
   */
  *of(closure: Bitset, wanted: readonly number[], filter: ObjectFilter): Generator<number, Bitset> {
    if (dependsOnPlace(filter)) {
      throw new Error("What a filter leaves depends on more than the object");
    }
    const filters = this.#kept.get(closure) ?? new Map<string, Bitset>();
    const key = `${filter.types.join()} ${filter.blobLimit}`;
    const objects = filters.get(key) ?? (yield* this.#filter(closure, wanted, filter));
    filters.delete(key);
    filters.set(key, objects);
    const [oldest] = filters.keys();
    if (filters.size > keptFilters && oldest !== undefined) {
      filters.delete(oldest);
    }
    this.#kept.set(closure, filters);
    return objects;
  }

  /** In the order of the packs, where the base of a delta, which says its type, mostly comes first. */
  *#filter(closure: Bitset, wanted: readonly number[], { types, blobLimit }: ObjectFilter): Generator<number, Bitset> {
    const { db } = this;
    const objects = new Bitset(db.size);
    let seen = 0;
    for (const [number, { order, entryCount }] of db.packs.entries()) {
      const start = db.startOf(number);
      for (let place = 0; place < entryCount; place++) {
        const position = start + order.positionAt(place);
        if (!closure.has(position)) {
          continue;
        }
        const type = db.typeAt(position);
        if (
          types.includes(type) &&
          (type !== ObjectType.blob ||
            blobLimit === Number.POSITIVE_INFINITY ||
            (blobLimit > 0 && db.sizeAt(position) < blobLimit))
        ) {
          objects.add(position);
        }
        if (++seen % stepObjects === 0) {
          yield seen;
        }
      }
    }
    wanted.forEach((position) => objects.add(position));
    return objects;
  }
}
