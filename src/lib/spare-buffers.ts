/** Sizes are powers of two from here on, so that what was made for one piece does for another of about its size. */
const smallestBytes = 16 * 1024;

/** Buffers of at least 16 KB that are not needed any more, to be filled again. What is in one that is taken is what somebody else wrote. */
export class SpareBuffers {
  readonly #spare = new Map<number, ArrayBuffer[]>();
  #bytes = 0;

  /** maxBytes: how much is kept at most */
  constructor(private readonly maxBytes: number) {}

  /** One of at least so many bytes. */
  take(bytes: number): ArrayBuffer {
    const size = 2 ** Math.ceil(Math.log2(Math.max(bytes, smallestBytes)));
    const spare = this.#spare.get(size)?.pop();
    this.#bytes -= spare?.byteLength ?? 0;
    return spare ?? new ArrayBuffer(size);
  }

  /** Takes one back that was taken here and that nobody reads or writes any more; once, else two would write to it. */
  put(buffer: ArrayBuffer): void {
    const size = buffer.byteLength;
    if (this.#bytes + size <= this.maxBytes) {
      const same = this.#spare.get(size) ?? [];
      same.push(buffer);
      this.#spare.set(size, same);
      this.#bytes += size;
    }
  }
}
