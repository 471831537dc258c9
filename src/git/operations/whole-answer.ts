import type { ByteSteps } from "../job/job.ts";

/**
 * How many bytes all whole responses that are being read may hold together, because slow readers hold them longer than
 * any cache.
 */
const maxReadBytes = 32 * 1024 * 1024;
let readBytes = 0;

/** An answer that was made, to be given to any number of readers. */
export class WholeAnswer {
  #readers = 0;

  constructor(
    private readonly chunks: readonly Uint8Array[],
    private readonly bytes: number,
  ) {}

  /** Whether there is room for what readers of one more answer may hold. */
  static get hasRoom(): boolean {
    return readBytes < maxReadBytes;
  }

  get isReadable(): boolean {
    return this.#readers > 0 || readBytes + this.bytes <= maxReadBytes;
  }

  /** From this chunk on, in pieces of so many bytes at most. */
  *read(pieceBytes: () => number, from = 0): ByteSteps {
    readBytes += this.#readers++ === 0 ? this.bytes : 0;
    try {
      for (let index = from; index < this.chunks.length; index++) {
        const chunk = this.chunks[index]!;
        for (let at = 0; at < chunk.length;) {
          const end = Math.min(at + pieceBytes(), chunk.length);
          yield chunk.subarray(at, end);
          at = end;
        }
      }
    } finally {
      readBytes -= --this.#readers === 0 ? this.bytes : 0;
    }
  }
}
