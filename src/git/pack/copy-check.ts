import type { PackFile } from "./pack-file.ts";

/** Told of the bytes of a stored pack in their order: `bytes[from..to)`. */
export interface CopiedBytes {
  take(bytes: Uint8Array, from: number, to: number): void;
}

/**
 * Compares the entries of a stored pack with their CRC-32s in its index while they are copied, one behind the other. What
 * somebody is sent is compared each time, since a disk may lose a bit at any time.
 */
export class CopyCheck implements CopiedBytes {
  #crc = 0;
  #place: number;
  /** bytes of the present entry that are still to come */
  #left: number;

  /** place: of the first entry in the order of the file; from: the first byte that is copied, of its header or its data */
  constructor(
    private readonly pack: PackFile,
    place: number,
    from: number,
  ) {
    const { order } = pack;
    const offset = order.offsetAt(place);
    this.#place = place;
    this.#left = order.endAt(place) - offset;
    if (from > offset) {
      pack.forEachChunk(offset, from, (bytes, chunkFrom, chunkTo) => this.take(bytes, chunkFrom, chunkTo));
    }
  }

  /** Throws CorruptPack at the end of an entry that is not what it was. */
  take(bytes: Uint8Array, from: number, to: number): void {
    for (let at = from; at < to;) {
      const end = Math.min(to, at + this.#left);
      this.#crc = Bun.hash.crc32(bytes.subarray(at, end), this.#crc);
      this.#left -= end - at;
      at = end;
      if (this.#left === 0) {
        this.compare();
      }
    }
  }

  private compare(): void {
    const { pack } = this;
    const { order } = pack;
    const place = this.#place++;
    if (this.#crc !== pack.index.crcAt(order.positionAt(place))) {
      throw pack.corrupt(`the entry at byte ${order.offsetAt(place)} is damaged`);
    }
    this.#crc = 0;
    this.#left = this.#place < pack.entryCount ? order.endAt(this.#place) - order.offsetAt(this.#place) : Infinity;
  }
}
