import type { ObjectDatabase } from "../odb/object-database.ts";
import { Bitset } from "./bitset.ts";

/**
 * Where the objects of an older list of packs stand in a database that has the same packs one after another: behind
 * those before them, except for objects that one of these holds too, which stand there.
 */
export class Placement {
  readonly #shift: number;
  /** by older position: where the object is now, if it is not simply behind the new packs */
  readonly #moved = new Map<number, number>();

  /** `firstOld`: number of the first of the older packs in `db.packs`. What packs behind the older ones hold is not asked for. */
  constructor(
    private readonly db: ObjectDatabase,
    firstOld: number,
  ) {
    this.#shift = firstOld === 0 ? 0 : db.startOf(firstOld);
    for (let position = 0; position < this.#shift; position++) {
      const old = db.find(db.oidAt(position), 0, firstOld);
      if (old >= 0) {
        this.#moved.set(old - this.#shift, db.canonical(position));
      }
    }
  }

  /** For an older position, the one in the database. */
  readonly of = (position: number): number => {
    const moved = this.#moved.size === 0 ? undefined : this.#moved.get(position);
    return moved ?? position + this.#shift;
  };

  /** A set of older positions as one of the database's. */
  ofAll(old: Bitset): Bitset {
    const set = new Bitset(this.db.size);
    const words = this.#shift >>> 5;
    const bits = this.#shift & 31;
    for (let index = 0; index < old.words.length; index++) {
      const word = old.words[index]!;
      set.words[index + words]! |= word << bits;
      if (bits !== 0 && index + words + 1 < set.words.length) {
        set.words[index + words + 1]! |= word >>> (32 - bits);
      }
    }
    for (const [from, to] of this.#moved) {
      if (old.has(from)) {
        set.delete(from + this.#shift);
        set.add(to);
      }
    }
    return set;
  }
}
