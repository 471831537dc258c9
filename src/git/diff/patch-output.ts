import { copyBytes } from "../../lib/copy-bytes.ts";

/** Collects the bytes of a patch, which need not be UTF-8: names and lines go into it as they are. */
export class PatchOutput {
  #bytes = Buffer.allocUnsafeSlow(16 * 1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  text(text: string): void {
    // A character has at most three bytes of UTF-8 for each of its parts in UTF-16.
    const at = this.#reserve(3 * text.length);
    this.#length = at + this.#bytes.write(text, at);
  }

  bytes(bytes: Uint8Array, start = 0, end: number = bytes.length): void {
    const to = this.#reserve(end - start);
    if (end - start > 24) {
      copyBytes(bytes, start, end, this.#bytes, to);
    } else {
      // For a short line a call costs more than the copy.
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

  /** Returns the written bytes as a view; the next call of another method changes them. */
  view(): Uint8Array {
    // A plain array: the `slice` of a Buffer does not copy.
    return new Uint8Array(this.#bytes.buffer, 0, this.#length);
  }

  #reserve(count: number): number {
    const at = this.#length;
    if (at + count > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, at + count));
      copyBytes(this.#bytes, 0, at, larger, 0);
      this.#bytes = larger;
    }
    this.#length = at + count;
    return at;
  }
}
