import { copyBytes } from "../../lib/copy-bytes.ts";

/** Bytes of which any part can be had, wherever they are: what a delta copies from. */
export interface PositionedBytes {
  readonly size: number;
  /** Copies `[from, from + length)`, which is within the size, to `target[at]`. */
  copy(from: number, length: number, target: Uint8Array, at: number): void;
}

/** Bytes that are at hand. */
export class BytesInMemory implements PositionedBytes {
  constructor(
    private readonly bytes: Uint8Array,
    private readonly start = 0,
    readonly size: number = bytes.length,
  ) {}

  copy(from: number, length: number, target: Uint8Array, at: number): void {
    copyBytes(this.bytes, this.start + from, this.start + from + length, target, at);
  }
}
