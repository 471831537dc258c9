/** Bytes that are handed on together. */
const chunkBytes = 64 * 1024;

/** Gathers small pieces of an archive into chunks, and knows how much was written in all. */
export class OutputBuffer {
  #buffer = new Uint8Array(chunkBytes);
  #used = 0;
  #written = 0;

  get written(): number {
    return this.#written;
  }

  /** Adds bytes. The chunks it yields are valid until the next call. */
  *write(bytes: Uint8Array): Generator<Uint8Array, void> {
    this.#written += bytes.length;
    for (let at = 0; at < bytes.length; ) {
      if (this.#used === 0 && bytes.length - at >= chunkBytes) {
        yield bytes.subarray(at, at + chunkBytes);
        at += chunkBytes;
        continue;
      }
      const length = Math.min(bytes.length - at, chunkBytes - this.#used);
      this.#buffer.set(bytes.subarray(at, at + length), this.#used);
      this.#used += length;
      at += length;
      if (this.#used === chunkBytes) {
        yield this.#buffer;
        this.#used = 0;
      }
    }
  }

  /** What is left at the end. */
  *flush(): Generator<Uint8Array, void> {
    if (this.#used > 0) {
      yield this.#buffer.subarray(0, this.#used);
      this.#used = 0;
    }
  }
}
