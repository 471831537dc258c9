/**
 * A map from oids to numbers without a string or object an entry: open addressing over columns.
 * The hash is seeded at random and takes the whole oid, since the keys may be names that a client made up.
 */
export class OidMap {
  private count = 0;
  private capacity = 1024;
  private slots = new Int32Array(this.capacity * 2).fill(-1);
  private keys: Uint8Array;
  private values = new Int32Array(this.capacity);
  private readonly seed = crypto.getRandomValues(new Uint32Array(1))[0]!;

  constructor(private readonly oidBytes: number) {
    this.keys = new Uint8Array(this.capacity * oidBytes);
  }

  /** The number kept for the oid at `bytes[at]`, or -1. */
  get(bytes: Uint8Array, at: number): number {
    const item = this.slots[this.slotOf(bytes, at)]!;
    return item < 0 ? -1 : this.values[item]!;
  }

  /** How many oids there are. */
  get size(): number {
    return this.count;
  }

  set(bytes: Uint8Array, at: number, value: number): void {
    this.values[this.itemOf(bytes, at)] = value;
  }

  /** The number of the oid among all there are, in the order in which they came; a new one is added with the value 0. */
  itemOf(bytes: Uint8Array, at: number): number {
    const slot = this.slotOf(bytes, at);
    const item = this.slots[slot]!;
    return item < 0 ? this.add(slot, bytes, at) : item;
  }

  /** Like `itemOf`, but -1 for an oid that is not there. */
  findItem(bytes: Uint8Array, at: number): number {
    return this.slots[this.slotOf(bytes, at)]!;
  }

  private add(free: number, bytes: Uint8Array, at: number): number {
    let slot = free;
    if (this.count === this.capacity) {
      this.grow();
      slot = this.slotOf(bytes, at);
    }
    const item = this.count++;
    this.slots[slot] = item;
    // A loop beats the view that a copy by call would need.
    for (let from = at, to = item * this.oidBytes, end = at + this.oidBytes; from < end; ) {
      this.keys[to++] = bytes[from++]!;
    }
    return item;
  }

  /** Visits all pairs in the order in which the keys came; a key is `keys[at..]`, valid during the call. */
  forEach(visit: (keys: Uint8Array, at: number, value: number) => void): void {
    for (let item = 0; item < this.count; item++) {
      visit(this.keys, item * this.oidBytes, this.values[item]!);
    }
  }

  /** The slot that holds the key, or the free one where it belongs. */
  private slotOf(bytes: Uint8Array, at: number): number {
    const mask = this.slots.length - 1;
    let slot = this.hash(bytes, at) & mask;
    for (;;) {
      const item = this.slots[slot]!;
      if (item < 0 || this.isKey(item, bytes, at)) {
        return slot;
      }
      slot = (slot + 1) & mask;
    }
  }

  private isKey(item: number, bytes: Uint8Array, at: number): boolean {
    const key = item * this.oidBytes;
    for (let byte = 0; byte < this.oidBytes; byte++) {
      if (this.keys[key + byte] !== bytes[at + byte]) {
        return false;
      }
    }
    return true;
  }

  private hash(bytes: Uint8Array, at: number): number {
    let hash = this.seed;
    for (let byte = at; byte < at + this.oidBytes; byte += 4) {
      const word = bytes[byte]! | (bytes[byte + 1]! << 8) | (bytes[byte + 2]! << 16) | (bytes[byte + 3]! << 24);
      hash = Math.imul(hash ^ word, 0x9e37_79b1);
      hash ^= hash >>> 15;
    }
    return hash;
  }

  private grow(): void {
    this.capacity *= 2;
    const keys = new Uint8Array(this.capacity * this.oidBytes);
    const values = new Int32Array(this.capacity);
    keys.set(this.keys);
    values.set(this.values);
    this.keys = keys;
    this.values = values;
    this.slots = new Int32Array(this.capacity * 2).fill(-1);
    for (let item = 0; item < this.count; item++) {
      this.slots[this.slotOf(keys, item * this.oidBytes)] = item;
    }
  }
}
