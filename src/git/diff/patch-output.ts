/** Collects the bytes of a patch, which need not be UTF-8: names and lines go into it as they are. */
export class PatchOutput {
  #bytes = new Uint8Array(16 * 1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  text(text: string): void {
    this.bytes(Buffer.from(text));
  }

  bytes(bytes: Uint8Array, start = 0, end: number = bytes.length): void {
    const to = this.#reserve(end - start);
    if (end - start > 64) {
      this.#bytes.set(bytes.subarray(start, end), to);
    } else {
      // For a line of usual length a view costs more than the copy.
      const out = this.#bytes;
      for (let at = start, put = to; at < end; at++, put++) {
        out[put] = bytes[at]!;
      }
    }
  }

  byte(byte: number): void {
    const at = this.#reserve(1);
    this.#bytes[at] = byte;
  }

  /** Drops what was written after the first `length` bytes. */
  cut(length: number): void {
    this.#length = length;
  }

  /** What was written: a view that the next call to anything else changes. */
  view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #reserve(count: number): number {
    const at = this.#length;
    if (at + count > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(this.#bytes.length * 2, at + count));
      larger.set(this.view());
      this.#bytes = larger;
    }
    this.#length = at + count;
    return at;
  }
}
