import { copyBytes } from "../../lib/copy-bytes.ts";

/** Bytes that are handed on together. */
const chunkBytes = 64 * 1024;
/** More at once is handed on as it is, without a copy. */
const largestCopy = 1024 * 1024;
const firstBytes = 4 * chunkBytes;

/** Gathers small pieces of an archive into chunks, and knows how much was written in all. */
export class OutputBuffer {
  #buffer = new Uint8Array(firstBytes);
  #used = 0;
  #written = 0;

  get written(): number {
    return this.#written;
  }

  /** Adds bytes, which may be overwritten afterwards, however many they are. What is ready is then to be taken with `drain`. */
  add(bytes: Uint8Array): void {
    const at = this.#reserve(bytes.length);
    copyBytes(bytes, 0, bytes.length, this.#buffer, at);
  }

  addZeros(count: number): void {
    const at = this.#reserve(count);
    this.#buffer.fill(0, at, at + count);
  }

  /** The chunks that are full; each is valid until the next call. */
  *drain(): Generator<Uint8Array, void> {
    let at = 0;
    for (; this.#used - at >= chunkBytes; at += chunkBytes) {
      yield this.#buffer.subarray(at, at + chunkBytes);
    }
    if (at > 0) {
      const rest = this.#buffer;
      if (this.#buffer.length > firstBytes) {
        this.#buffer = new Uint8Array(firstBytes);
      }
      copyBytes(rest, at, this.#used, this.#buffer, 0);
      this.#used -= at;
    }
  }

  /** Adds bytes, which stay as they are until the next call, and yields the chunks that are full; each is valid until then. */
  *write(bytes: Uint8Array): Generator<Uint8Array, void> {
    if (bytes.length <= largestCopy) {
      this.add(bytes);
      yield* this.drain();
      return;
    }
    yield* this.flush();
    this.#written += bytes.length;
    for (let at = 0; at < bytes.length; at += chunkBytes) {
      yield bytes.subarray(at, at + chunkBytes);
    }
  }

  /** Yields the rest. */
  *flush(): Generator<Uint8Array, void> {
    yield* this.drain();
    if (this.#used > 0) {
      yield this.#buffer.subarray(0, this.#used);
      this.#used = 0;
    }
  }

  #reserve(count: number): number {
    const at = this.#used;
    if (at + count > this.#buffer.length) {
      const larger = new Uint8Array(at + count + firstBytes);
      copyBytes(this.#buffer, 0, at, larger, 0);
      this.#buffer = larger;
    }
    this.#used += count;
    this.#written += count;
    return at;
  }
}
