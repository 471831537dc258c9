interface Content {
  readonly bytes: Uint8Array;
  readers: number;
}

/**
 * The contents that streams are reading: one copy for all readers of an object, and so many bytes together. Without that
 * clients that ask for many files and do not read on would take the memory.
 */
export class SharedContents {
  readonly #contents = new Map<string, Content>();
  #bytes = 0;

  /** limitBytes: of all contents together */
  constructor(private readonly limitBytes: number) {}

  /** The content of `key`, read with `read` if nobody has it; null where there is no room. `release` it as often as it was taken. */
  take(key: string, size: number, read: () => Uint8Array): Uint8Array | null {
    let content = this.#contents.get(key);
    if (content === undefined) {
      if (this.#bytes + size > this.limitBytes) {
        return null;
      }
      content = { bytes: read(), readers: 0 };
      this.#contents.set(key, content);
      this.#bytes += content.bytes.length;
    }
    content.readers++;
    return content.bytes;
  }

  release(key: string): void {
    const content = this.#contents.get(key);
    if (content !== undefined && --content.readers === 0) {
      this.#contents.delete(key);
      this.#bytes -= content.bytes.length;
    }
  }
}
