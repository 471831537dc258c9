import { compileLightly } from "../../lib/compile-lightly.ts";

/**
 * A map from oids to numbers without a string or object an entry: open addressing over columns.
 * The hash is seeded at random and takes the whole oid, since the keys may be names that a client made up.
 */
export class OidMap {
  private count = 0;
  private capacity = 1024;
  private slots = new Int32Array(this.capacity * 2).fill(-1);
  private keys: Uint8Array;
  /** By item: the hash of its key, so that other keys are rarely compared byte by byte and none is hashed twice. */
  private hashes = new Int32Array(this.capacity);
  private values = new Int32Array(this.capacity);
  private readonly seed = crypto.getRandomValues(new Int32Array(1))[0]!;

  constructor(private readonly oidBytes: number) {
    this.keys = new Uint8Array(this.capacity * oidBytes);
  }

  /** The number kept for the oid at `bytes[at]`, or -1. */
  get(bytes: Uint8Array, at: number): number {
    const item = this.findItem(bytes, at);
    return item < 0 ? -1 : this.values[item]!;
  }

  /** How many oids there are. */
  get size(): number {
    return this.count;
  }

  set(bytes: Uint8Array, at: number, value: number): void {
    const item = this.itemOf(bytes, at);
    // Only now: a new item may have made the map grow.
    this.values[item] = value;
  }

  /** The number of the oid among all there are, in the order in which they came; a new one is added with the value 0. */
  itemOf(bytes: Uint8Array, at: number): number {
    const hash = this.hash(bytes, at);
    const slot = this.slotOf(hash, bytes, at);
    const item = this.slots[slot]!;
    return item < 0 ? this.add(slot, hash, bytes, at) : item;
  }

  /** Like `itemOf`, but -1 for an oid that is not there. */
  findItem(bytes: Uint8Array, at: number): number {
    return this.slots[this.slotOf(this.hash(bytes, at), bytes, at)]!;
  }

  private add(free: number, hash: number, bytes: Uint8Array, at: number): number {
    let slot = free;
    if (this.count === this.capacity) {
      this.grow();
      slot = this.freeSlot(hash);
    }
    const { keys, oidBytes } = this;
    const item = this.count++;
    this.slots[slot] = item;
    this.hashes[item] = hash;
    // A loop beats the view that a copy by call would need.
    for (let from = at, to = item * oidBytes, end = at + oidBytes; from < end; ) {
      keys[to++] = bytes[from++]!;
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
  private slotOf(hash: number, bytes: Uint8Array, at: number): number {
    const { slots, hashes } = this;
    const mask = slots.length - 1;
    let slot = hash & mask;
    for (;;) {
      const item = slots[slot]!;
      if (item < 0 || (hashes[item] === hash && this.isKey(item, bytes, at))) {
        return slot;
      }
      slot = (slot + 1) & mask;
    }
  }

  private freeSlot(hash: number): number {
    const { slots } = this;
    const mask = slots.length - 1;
    let slot = hash & mask;
    while (slots[slot]! >= 0) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private isKey(item: number, bytes: Uint8Array, at: number): boolean {
    const { keys, oidBytes } = this;
    const key = item * oidBytes;
    for (let byte = 0; byte < oidBytes; byte++) {
      if (keys[key + byte] !== bytes[at + byte]) {
        return false;
      }
    }
    return true;
  }

  private hash(bytes: Uint8Array, at: number): number {
    const end = at + this.oidBytes;
    let hash = this.seed;
    for (let byte = at; byte < end; byte += 4) {
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
    const hashes = new Int32Array(this.capacity);
    keys.set(this.keys);
    values.set(this.values);
    hashes.set(this.hashes);
    this.keys = keys;
    this.values = values;
    this.hashes = hashes;
    this.slots = new Int32Array(this.capacity * 2).fill(-1);
    for (let item = 0; item < this.count; item++) {
      this.slots[this.freeSlot(hashes[item]!)] = item;
    }
  }
}

compileLightly(OidMap);
