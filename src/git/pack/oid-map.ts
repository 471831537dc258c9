import { compileLightly } from "../../lib/compile-lightly.ts";

/**
 * A map from oids to numbers without a string or object an entry: open addressing over columns.
 * The hash is seeded at random and takes the whole oid, since the keys may be names that a client made up.
 */
export class OidMap {
  private count = 0;
  private capacity = 1024;
  private slots = new Int32Array(this.capacity * 2).fill(-1);
  /** As words of 32 bits: to read and compare them byte by byte took three times as long. */
  private keys: Int32Array<ArrayBuffer>;
  /** By item: the hash of its key, so that other keys are rarely compared byte by byte and none is hashed twice. */
  private hashes = new Int32Array(this.capacity);
  private values = new Int32Array(this.capacity);
  private readonly seed = crypto.getRandomValues(new Int32Array(1))[0]!;

  private readonly oidWords: number;
  /** The bytes that the last key was given in, which mostly are those of the next, too. */
  private given: Uint8Array = new Uint8Array(0);
  private view: DataView = new DataView(this.given.buffer);

  /** `oidBytes` is a multiple of four. */
  constructor(oidBytes: number) {
    this.oidWords = oidBytes / 4;
    this.keys = new Int32Array(this.capacity * this.oidWords);
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
    const view = this.viewOf(bytes);
    const hash = this.hash(view, at);
    const slot = this.slotOf(hash, view, at);
    const item = this.slots[slot]!;
    return item < 0 ? this.add(slot, hash, view, at) : item;
  }

  /** Like `itemOf`, but -1 for an oid that is not there. */
  findItem(bytes: Uint8Array, at: number): number {
    const view = this.viewOf(bytes);
    return this.slots[this.slotOf(this.hash(view, at), view, at)]!;
  }

  private viewOf(bytes: Uint8Array): DataView {
    if (bytes !== this.given) {
      this.given = bytes;
      this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    }
    return this.view;
  }

  private add(free: number, hash: number, view: DataView, at: number): number {
    let slot = free;
    if (this.count === this.capacity) {
      this.grow();
      slot = this.freeSlot(hash);
    }
    const { keys, oidWords } = this;
    const item = this.count++;
    this.slots[slot] = item;
    this.hashes[item] = hash;
    for (let word = 0, key = item * oidWords; word < oidWords; word++) {
      keys[key + word] = view.getInt32(at + 4 * word, true);
    }
    return item;
  }

  /** Visits all pairs in the order in which the keys came; a key is `keys[at..]`, valid during the call. */
  forEach(visit: (keys: Uint8Array, at: number, value: number) => void): void {
    let bytes = new Uint8Array(this.keys.buffer);
    for (let item = 0; item < this.count; item++) {
      if (bytes.buffer !== this.keys.buffer) {
        bytes = new Uint8Array(this.keys.buffer);
      }
      visit(bytes, item * this.oidWords * 4, this.values[item]!);
    }
  }

  /** The slot that holds the key, or the free one where it belongs. */
  private slotOf(hash: number, view: DataView, at: number): number {
    const { slots, hashes } = this;
    const mask = slots.length - 1;
    let slot = hash & mask;
    for (;;) {
      const item = slots[slot]!;
      if (item < 0 || (hashes[item] === hash && this.isKey(item, view, at))) {
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

  private isKey(item: number, view: DataView, at: number): boolean {
    const { keys, oidWords } = this;
    const key = item * oidWords;
    for (let word = 0; word < oidWords; word++) {
      if (keys[key + word] !== view.getInt32(at + 4 * word, true)) {
        return false;
      }
    }
    return true;
  }

  private hash(view: DataView, at: number): number {
    const end = at + 4 * this.oidWords;
    let hash = this.seed;
    for (let byte = at; byte < end; byte += 4) {
      hash = Math.imul(hash ^ view.getInt32(byte, true), 0x9e37_79b1);
      hash ^= hash >>> 15;
    }
    return hash;
  }

  private grow(): void {
    this.capacity *= 2;
    const keys = new Int32Array(this.capacity * this.oidWords);
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
