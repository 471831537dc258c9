import { FileRange, type CompressedInput } from "./inflate-pieces.ts";
import type { PackFile } from "./pack-file.ts";

/** The compressed data of a stored entry, of which the CRC-32 is made as it is read: what large entries are compared with. */
export class CheckedEntry implements CompressedInput {
  readonly #range: FileRange;
  readonly #expected: number;
  #crc = 0;

  /** The entry starts at byte `offset` of the pack, its data at `dataStart`. Throws CorruptPack. */
  constructor(
    private readonly pack: PackFile,
    private readonly offset: number,
    dataStart: number,
  ) {
    const place = pack.order.orderAtOffset(offset);
    this.#expected = pack.index.crcAt(pack.order.positionAt(place));
    this.#range = new FileRange(pack.descriptor, pack.path, dataStart, pack.order.endAt(place));
    pack.forEachChunk(offset, dataStart, (bytes, from, to) => this.#add(bytes.subarray(from, to)));
  }

  next(): Uint8Array | null {
    const bytes = this.#range.next();
    if (bytes !== null) {
      this.#add(bytes);
    }
    return bytes;
  }

  /** Reads a piece of what is left; true at the end, when all was compared. Throws CorruptPack. */
  readOn(): boolean {
    if (this.next() !== null) {
      return false;
    }
    if (this.#crc !== this.#expected) {
      throw this.pack.corrupt(`the entry at byte ${this.offset} is damaged`);
    }
    return true;
  }

  #add(bytes: Uint8Array): void {
    this.#crc = Bun.hash.crc32(bytes, this.#crc);
  }
}
