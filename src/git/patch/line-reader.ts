const lineFeed = 0x0a;

/** Goes through a text line by line, without copying. */
export class LineReader {
  /** number of the present line, from 1 */
  number = 1;
  #at = 0;

  constructor(private readonly bytes: Uint8Array) {}

  /** The present line with its line feed, null at the end. */
  peek(): Uint8Array | null {
    if (this.#at >= this.bytes.length) {
      return null;
    }
    return this.bytes.subarray(this.#at, this.#end());
  }

  /** Returns the line without its line feed, as text; null at the end. */
  text(): string | null {
    const line = this.peek();
    return line === null
      ? null
      : Buffer.from(line)
          .toString("latin1")
          .replace(/\r?\n$/, "");
  }

  /** The line after the present one, as text. */
  following(): string | null {
    const end = this.#end();
    const next = new LineReader(this.bytes.subarray(end));
    return end >= this.bytes.length ? null : next.text();
  }

  next(): void {
    this.#at = this.#end();
    this.number++;
  }

  #end(): number {
    const found = this.bytes.indexOf(lineFeed, this.#at);
    return found < 0 ? this.bytes.length : found + 1;
  }
}
