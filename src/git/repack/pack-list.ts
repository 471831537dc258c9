import type { ObjectDatabase } from "../odb/object-database.ts";

/** How an object gets into the new pack. */
export const Source = {
  /** The stored whole entry is copied. */
  whole: 0,
  /** The stored delta is copied; its base is in the pack too. */
  delta: 1,
  /** A delta that was found by searching. */
  newDelta: 2,
  /** No stored entry can be copied: the object is compressed anew. */
  rewritten: 3,
} as const;

/**
 * The objects of a new pack in the order in which they are to stand there, as columns: some 35 bytes an object. What
 * `bases` names is a place in the list.
 */
export class PackList {
  count = 0;
  /** position in the database */
  positions: Int32Array;
  /** hash of the name that the object was first found under, alike for names that end alike */
  nameHashes: Uint32Array;
  /** one of `Source` */
  sources: Uint8Array = new Uint8Array(0);
  /** for a copy: the position of the entry, which may stand in an older pack than the object's own position */
  entries: Int32Array = new Int32Array(0);
  /** position of a whole entry of the object, -1 where only deltas are stored */
  wholeEntries: Int32Array = new Int32Array(0);
  /** inflated, bytes; 0 for what is copied as a delta, whose size nobody asks for */
  sizes: Uint32Array = new Uint32Array(0);
  /** -1 for none */
  bases: Int32Array = new Int32Array(0);
  /** deltas between the object and the whole one it is built on */
  depths: Uint16Array = new Uint16Array(0);
  /** by position: one more than the place in the list */
  private readonly places: Int32Array;

  constructor(readonly db: ObjectDatabase) {
    this.places = new Int32Array(db.size);
    this.positions = new Int32Array(1024);
    this.nameHashes = new Uint32Array(1024);
  }

  /** The place of the object with this canonical position, or -1. */
  placeOf(position: number): number {
    return this.places[position]! - 1;
  }

  has(position: number): boolean {
    return this.places[position]! > 0;
  }

  add(position: number, nameHash: number): void {
    if (this.count === this.positions.length) {
      const positions = new Int32Array(this.count * 2);
      positions.set(this.positions);
      this.positions = positions;
      const nameHashes = new Uint32Array(this.count * 2);
      nameHashes.set(this.nameHashes);
      this.nameHashes = nameHashes;
    }
    this.positions[this.count] = position;
    this.nameHashes[this.count] = nameHash;
    this.count++;
    this.places[position] = this.count;
  }

  /** Makes the columns that say how each object is written: as yet each anew. Nothing is added after that. */
  prepare(): void {
    const { count } = this;
    this.sources = new Uint8Array(count).fill(Source.rewritten);
    this.entries = new Int32Array(count).fill(-1);
    this.wholeEntries = new Int32Array(count).fill(-1);
    this.sizes = new Uint32Array(count);
    this.bases = new Int32Array(count).fill(-1);
    this.depths = new Uint16Array(count);
  }
}
