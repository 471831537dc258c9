/**
 * A map from oids to numbers without a string or object an entry: open addressing over columns.
 * The hash is seeded at random and takes the whole oid, since the keys may be names that a client made up.
 */
export class OidMap {
  private count = 0;
  private capacity: number;
  /**
   * Pairs of an item's number plus one and the hash of its key, two zeros where there is none. The hash lies here so that
   * a look at another key's slot costs one miss of the processor's cache, and so that none is made twice.
   */
  private slots: Int32Array<ArrayBuffer>;
  /** As words of 32 bits: to read and compare them byte by byte took three times as long. */
  private keys: Int32Array<ArrayBuffer>;
  /** As long as the largest item that has one. */
  private values = new Int32Array(0);
  private readonly seed = crypto.getRandomValues(new Int32Array(1))[0]!;

  private readonly oidWords: number;
  /** The bytes that the last key was given in, which mostly are those of the next, too. */
  private given: Uint8Array = new Uint8Array(0);
  private view: DataView = new DataView(this.given.buffer);

  /** `oidBytes` is a multiple of four; `expected` oids fit in before it has to grow. */
  constructor(oidBytes: number, expected = 1024) {
    this.oidWords = oidBytes / 4;
    this.capacity = Math.max(expected, 16);
    this.keys = new Int32Array(this.capacity * this.oidWords);
    this.slots = emptySlots(this.capacity);
  }

  /** The number kept for the oid at `bytes[at]`, or -1. */
  get(bytes: Uint8Array, at: number): number {
    const item = this.findItem(bytes, at);
    return item < 0 ? -1 : (this.values[item] ?? 0);
  }

  /** How many oids there are. */
  get size(): number {
    return this.count;
  }

  set(bytes: Uint8Array, at: number, value: number): void {
    const item = this.itemOf(bytes, at);
    if (item >= this.values.length) {
      this.values = grown(this.values, this.capacity);
    }
    this.values[item] = value;
  }

  /** The number of the oid among all there are, in the order in which they came; a new one is added with the value 0. */
  itemOf(bytes: Uint8Array, at: number): number {
    const view = this.viewOf(bytes);
    const hash = this.hash(view, at);
    const slot = this.slotOf(hash, view, at);
    const item = this.slots[slot]! - 1;
    return item < 0 ? this.add(slot, hash, view, at) : item;
  }

  /** Like `itemOf`, but -1 for an oid that is not there. */
  findItem(bytes: Uint8Array, at: number): number {
    const view = this.viewOf(bytes);
    return this.slots[this.slotOf(this.hash(view, at), view, at)]! - 1;
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
      slot = freeSlot(this.slots, hash);
    }
    const { keys, oidWords } = this;
    const item = this.count++;
    this.slots[slot] = item + 1;
    this.slots[slot + 1] = hash;
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
      visit(bytes, item * this.oidWords * 4, this.values[item] ?? 0);
    }
  }

  /** Where the slot is that holds the key, or the free one where it belongs. */
  private slotOf(hash: number, view: DataView, at: number): number {
    const { slots } = this;
    const mask = slots.length - 1;
    let slot = (hash << 1) & mask;
    for (;;) {
      const item = slots[slot]! - 1;
      if (item < 0 || (slots[slot + 1] === hash && this.isKey(item, view, at))) {
        return slot;
      }
      slot = (slot + 2) & mask;
    }
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
    const old = this.slots;
    this.capacity *= 2;
    this.keys = grown(this.keys, this.capacity * this.oidWords);
    this.slots = emptySlots(this.capacity);
    for (let from = 0; from < old.length; from += 2) {
      if (old[from] !== 0) {
        const slot = freeSlot(this.slots, old[from + 1]!);
        this.slots[slot] = old[from]!;
        this.slots[slot + 1] = old[from + 1]!;
      }
    }
  }
}

/** At most half of them are taken. */
function emptySlots(capacity: number): Int32Array<ArrayBuffer> {
  return new Int32Array(2 ** Math.ceil(Math.log2(capacity * 2)) * 2);
}

function freeSlot(slots: Int32Array, hash: number): number {
  const mask = slots.length - 1;
  let slot = (hash << 1) & mask;
  while (slots[slot] !== 0) {
    slot = (slot + 2) & mask;
  }
  return slot;
}

function grown(from: Int32Array<ArrayBuffer>, length: number): Int32Array<ArrayBuffer> {
  const to = new Int32Array(length);
  to.set(from);
  return to;
}
