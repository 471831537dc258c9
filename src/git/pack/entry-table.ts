/**
 * The entries of a pack that is being indexed, by their order in it: columns of numbers instead of objects, about 50
 * bytes an entry and no work for the garbage collector.
 */
export class EntryTable {
  count = 0;
  /** Where entries start; of the last one also where it ends. */
  offsets: Float64Array;
  headerBytes: Uint8Array;
  /** Inflated size of an entry's data: the object, or a delta's instructions. */
  dataSizes: Uint32Array;
  objectSizes: Uint32Array;
  /** The entry that a delta is based on; -1 for none or not known yet. */
  bases: Int32Array;
  /** Type of the object; 0 until it is resolved. */
  types: Uint8Array;
  depths: Uint16Array;
  crcs: Uint32Array;
  oids: Uint8Array;

  constructor(
    private capacity: number,
    readonly oidBytes: number,
  ) {
    this.offsets = new Float64Array(capacity + 1);
    this.headerBytes = new Uint8Array(capacity);
    this.dataSizes = new Uint32Array(capacity);
    this.objectSizes = new Uint32Array(capacity);
    this.bases = new Int32Array(capacity).fill(-1);
    this.types = new Uint8Array(capacity);
    this.depths = new Uint16Array(capacity);
    this.crcs = new Uint32Array(capacity);
    this.oids = new Uint8Array(capacity * oidBytes);
  }

  /** Makes room for one more entry and returns its number. */
  add(): number {
    if (this.count === this.capacity) {
      this.grow(Math.ceil(this.capacity * 1.25) + 64);
    }
    return this.count++;
  }

  /** The entry among the first `count` that starts at `offset`, or -1. */
  findOffset(offset: number, count: number): number {
    let low = 0;
    let high = count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.offsets[middle]! < offset) low = middle + 1;
      else high = middle;
    }
    return low < count && this.offsets[low] === offset ? low : -1;
  }

  oid(entry: number): Uint8Array {
    return this.oids.subarray(entry * this.oidBytes, (entry + 1) * this.oidBytes);
  }

  private grow(capacity: number): void {
    const old = { ...this };
    this.capacity = capacity;
    (this.offsets = new Float64Array(capacity + 1)).set(old.offsets);
    (this.headerBytes = new Uint8Array(capacity)).set(old.headerBytes);
    (this.dataSizes = new Uint32Array(capacity)).set(old.dataSizes);
    (this.objectSizes = new Uint32Array(capacity)).set(old.objectSizes);
    (this.bases = new Int32Array(capacity).fill(-1)).set(old.bases);
    (this.types = new Uint8Array(capacity)).set(old.types);
    (this.depths = new Uint16Array(capacity)).set(old.depths);
    (this.crcs = new Uint32Array(capacity)).set(old.crcs);
    (this.oids = new Uint8Array(capacity * this.oidBytes)).set(old.oids);
  }
}
