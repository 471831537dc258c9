/** Sizes are multiples of this, so that what was made for one piece does for another of about its size. */
const stepBytes = 16 * 1024;

/** Buffers that are not needed any more, to be filled again. What is in one that is taken is what somebody else wrote. */
export class SpareBuffers {
  readonly #spare = new Map<number, ArrayBuffer[]>();
  #bytes = 0;

  /** maxBytes: how much is kept at most */
  constructor(private readonly maxBytes: number) {}

  /** One of at least so many bytes. */
  take(bytes: number): ArrayBuffer {
    const size = Math.ceil(bytes / stepBytes) * stepBytes;
    const spare = this.#spare.get(size)?.pop();
    this.#bytes -= spare?.byteLength ?? 0;
    return spare ?? new ArrayBuffer(size);
  }

  /** Takes one back that nobody reads or writes any more. */
  put(buffer: ArrayBuffer): void {
    if (buffer.byteLength % stepBytes === 0 && this.#bytes + buffer.byteLength <= this.maxBytes) {
      const same = this.#spare.get(buffer.byteLength) ?? [];
      same.push(buffer);
      this.#spare.set(buffer.byteLength, same);
      this.#bytes += buffer.byteLength;
    }
  }
}
