import zlib from "node:zlib";

/** Large enough to compress well, small enough for one turn of a worker. */
const pieceBytes = 128 * 1024;
/** How far back deflate can refer. */
const windowBytes = 32 * 1024;
/** A last block without content: the end of a raw deflate stream. */
const end = Uint8Array.of(0x03, 0x00);

/**
 * Makes one raw deflate stream (RFC 1951) of content that comes in pieces, a piece at a time: each is compressed on its
 * own, with the end of the one before as its dictionary, up to a byte's edge. So nothing runs for long, nothing is held
 * but a piece, and the same content gives the same bytes.
 */
export class DeflateSteps {
  readonly #level: number;
  readonly #buffer = new Uint8Array(windowBytes + pieceBytes);
  /** The window lies before the piece that is being gathered. */
  #window = 0;
  #used = windowBytes;

  constructor(level: number) {
    this.#level = level;
  }

  /** Takes content; yields what it has become so far. */
  *write(content: Uint8Array): Generator<Uint8Array, void> {
    for (let at = 0; at < content.length;) {
      const length = Math.min(content.length - at, this.#buffer.length - this.#used);
      this.#buffer.set(content.subarray(at, at + length), this.#used);
      this.#used += length;
      at += length;
      if (this.#used === this.#buffer.length) {
        yield this.#compress();
      }
    }
  }

  *finish(): Generator<Uint8Array, void> {
    if (this.#used > windowBytes) {
      yield this.#compress();
    }
    yield end;
  }

  #compress(): Uint8Array {
    const buffer = this.#buffer;
    const compressed = zlib.deflateRawSync(buffer.subarray(windowBytes, this.#used), {
      level: this.#level,
      finishFlush: zlib.constants.Z_SYNC_FLUSH,
      ...(this.#window === 0 ? {} : { dictionary: buffer.subarray(windowBytes - this.#window, windowBytes) }),
    });
    this.#window = Math.min(windowBytes, this.#window + this.#used - windowBytes);
    buffer.copyWithin(windowBytes - this.#window, this.#used - this.#window, this.#used);
    this.#used = windowBytes;
    return compressed;
  }
}
