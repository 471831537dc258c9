import type { PackIndex } from "./pack-index.ts";
import { CorruptPack } from "./errors.ts";

/**
 * The reverse of a pack's index: its entries by their order in the file. An entry ends where the next one starts, which
 * no other place records.
 */
export class PackOrder {
  readonly heldBytes: number;
  /** Offsets in ascending order, then where the entries end. */
  private readonly offsets: Float64Array;
  private readonly positions: Uint32Array;

  constructor(
    private readonly index: PackIndex,
    entriesEnd: number,
  ) {
    const count = index.entryCount;
    this.offsets = new Float64Array(count + 1);
    this.positions = new Uint32Array(count);
    this.heldBytes = 16 * count;
    if (count > 0 && entriesEnd >= Number.MAX_SAFE_INTEGER / count) {
      this.sortPositions();
    } else {
      this.sortPairs(count);
    }
    this.offsets[count] = entriesEnd;
    if (count > 0 && this.offsets[count - 1]! >= entriesEnd) {
      throw new CorruptPack(`Cannot use the pack index "${index.path}": an offset is beyond its pack`, index.path);
    }
  }

  /** Where the entry with this order starts. */
  offsetAt(order: number): number {
    return this.offsets[order]!;
  }

  /** Where the entry with this order ends. */
  endAt(order: number): number {
    return this.offsets[order + 1]!;
  }

  /** The index position of the entry with this order. */
  positionAt(order: number): number {
    return this.positions[order]!;
  }

  /** The order of the entry that starts at `offset`. Throws CorruptPack if none does. */
  orderAtOffset(offset: number): number {
    let low = 0;
    let high = this.positions.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.offsets[middle]! < offset) low = middle + 1;
      else high = middle;
    }
    if (low === this.positions.length || this.offsets[low] !== offset) {
      throw new CorruptPack(
        `Cannot use the pack index "${this.index.path}": no entry starts at byte ${offset}`,
        this.index.path,
      );
    }
    return low;
  }

  /** Where the entry that starts at `offset` ends. Throws CorruptPack if none starts there. */
  endOf(offset: number): number {
    return this.offsets[this.orderAtOffset(offset) + 1]!;
  }

  /** Offset and position in one number each, sorted by the engine's number sort: some ten times faster than a callback. */
  private sortPairs(count: number): void {
    const pairs = new Float64Array(count);
    for (let position = 0; position < count; position++) {
      pairs[position] = this.index.offsetAt(position) * count + position;
    }
    pairs.sort();
    for (let order = 0; order < count; order++) {
      const offset = Math.floor(pairs[order]! / count);
      this.offsets[order] = offset;
      this.positions[order] = pairs[order]! - offset * count;
    }
  }

  /** For packs so large that a pair does not fit a number. */
  private sortPositions(): void {
    this.positions.forEach((_, position) => {
      this.positions[position] = position;
    });
    this.positions.sort((left, right) => this.index.offsetAt(left) - this.index.offsetAt(right));
    this.positions.forEach((position, order) => {
      this.offsets[order] = this.index.offsetAt(position);
    });
  }
}
