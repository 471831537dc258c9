const smallestBlockBytes = 32;
const firstBlockBytes = 256;
/** So far words are quicker than calls that compare blocks; most trees are not longer. */
const wordwiseBytes = 512;
const largestBlockBytes = 8192;

/** A tree that was walked before, and where its entries start (and where the last one ends). */
export class TreeReference {
  constructor(
    readonly position: number,
    readonly bytes: Buffer,
    /** one more than there are entries: the last is the length. More of it, and of the bytes, means nothing. */
    readonly starts: Int32Array,
    readonly count: number = starts.length - 1,
  ) {}

  get heldBytes(): number {
    return this.bytes.length + this.starts.byteLength;
  }

  /** How many entries from number `entry` on are the same as those that another tree has in `other[at..otherEnd)`. */
  countEqual(entry: number, other: Buffer, at: number, otherEnd: number = other.length): number {
    const { starts, count } = this;
    const from = starts[entry]!;
    const end = from + commonLength(this.bytes, from, other, at, Math.min(starts[count]! - from, otherEnd - at));
    let low = entry;
    let high = count;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (starts[middle]! <= end) low = middle;
      else high = middle - 1;
    }
    return low - entry;
  }

  /** The entry with the name `other[nameAt..nameEnd)` among the few from number `from` on, or -1. */
  findName(from: number, other: Buffer, nameAt: number, nameEnd: number, oidBytes: number): number {
    const { bytes, starts } = this;
    const last = Math.min(from + 8, this.count);
    for (let entry = from; entry < last; entry++) {
      const end = starts[entry + 1]! - oidBytes - 1;
      const start = end - (nameEnd - nameAt);
      if (bytes[start - 1] === 0x20 && isSame(bytes, start, end, other, nameAt)) {
        return entry;
      }
    }
    return -1;
  }
}

/** Compares words first, then ever larger blocks: the bytes that follow each other are mostly the same. */
function commonLength(left: Buffer, leftFrom: number, right: Buffer, rightFrom: number, limit: number): number {
  let common = 0;
  const lastWord = Math.min(limit, wordwiseBytes) - 4;
  while (common <= lastWord && left.readInt32LE(leftFrom + common) === right.readInt32LE(rightFrom + common)) {
    common += 4;
  }
  let block = common > lastWord ? firstBlockBytes : 0;
  let differs = false;
  while (block >= smallestBlockBytes && common + block <= limit) {
    const leftAt = leftFrom + common;
    const rightAt = rightFrom + common;
    if (left.compare(right, rightAt, rightAt + block, leftAt, leftAt + block) === 0) {
      common += block;
      block = differs
        ? block >> 1
        : Math.min(block * 2, largestBlockBytes, Math.max(limit - common, smallestBlockBytes));
    } else {
      differs = true;
      block >>= 1;
    }
  }
  while (common < limit && left[leftFrom + common] === right[rightFrom + common]) {
    common++;
  }
  return common;
}

/** A loop, since names are so short that a call takes longer. */
function isSame(left: Buffer, from: number, to: number, right: Buffer, rightFrom: number): boolean {
  let at = from;
  while (at < to && left[at] === right[rightFrom + at - from]) {
    at++;
  }
  return at === to;
}
