import { EngineBusy } from "./errors.ts";

interface Content {
  readonly bytes: Uint8Array;
  readers: number;
}

/**
 * The contents that streams are reading: one copy for all readers of an object, and so many bytes together. Without that
 * a few clients that ask for large files and do not read on would take the memory.
 */
export class SharedContents {
  readonly #contents = new Map<string, Content>();
  #bytes = 0;

  /** limitBytes: of all contents together; a single one may be larger */
  constructor(private readonly limitBytes: number) {}

  /** The content of `key`, read with `read` if nobody has it. `release` it as often as it was taken. Throws EngineBusy. */
  take(key: string, size: number, read: () => Uint8Array): Uint8Array {
    let content = this.#contents.get(key);
    if (content === undefined) {
      if (this.#bytes > 0 && this.#bytes + size > this.limitBytes) {
        throw new EngineBusy(this.#contents.size);
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
