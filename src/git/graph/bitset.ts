/** A set of positions of an object database. */
export class Bitset {
  readonly words: Uint32Array;

  /** for positions below `size` */
  constructor(readonly size: number) {
    this.words = new Uint32Array((size + 31) >>> 5);
  }

  has(position: number): boolean {
    return ((this.words[position >>> 5]! >>> (position & 31)) & 1) !== 0;
  }

  add(position: number): void {
    this.words[position >>> 5]! |= 1 << (position & 31);
  }

  /** Adds all of a set of the same size. */
  addAll(other: Bitset): void {
    const { words } = this;
    for (let index = 0; index < words.length; index++) {
      words[index]! |= other.words[index]!;
    }
  }

  /** Removes all of a set of the same size. */
  deleteAll(other: Bitset): void {
    const { words } = this;
    for (let index = 0; index < words.length; index++) {
      words[index]! &= ~other.words[index]!;
    }
  }

  delete(position: number): void {
    this.words[position >>> 5]! &= ~(1 << (position & 31));
  }

  clone(): Bitset {
    const copy = new Bitset(this.size);
    copy.words.set(this.words);
    return copy;
  }

  count(): number {
    let count = 0;
    for (let index = 0; index < this.words.length; index++) {
      let bits = this.words[index]!;
      bits -= (bits >>> 1) & 0x55555555;
      bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
      count += Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
    }
    return count;
  }

  /** The members, ascending. */
  *[Symbol.iterator](): Generator<number> {
    for (let index = 0; index < this.words.length; index++) {
      for (let bits = this.words[index]!; bits !== 0; bits &= bits - 1) {
        yield index * 32 + 31 - Math.clz32(bits & -bits);
      }
    }
  }
}
