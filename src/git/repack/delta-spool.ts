import { closeSync, openSync, rmSync } from "node:fs";
import { writeFully } from "../pack/pack-output.ts";
import { readExactly } from "../pack/window-cache.ts";

const bufferBytes = 1024 * 1024;

/**
 * Compressed deltas on their way from the search to the pack, in a file: those of a large repository together are far
 * more than memory should hold. Disposing removes the file.
 */
export class DeltaSpool implements Disposable {
  private readonly descriptor: number;
  private readonly buffer = new Uint8Array(bufferBytes);
  private buffered = 0;
  private flushed = 0;
  private input = new Uint8Array(64 * 1024);

  /** `path`: nothing is there yet. */
  constructor(private readonly path: string) {
    this.descriptor = openSync(path, "wx+", 0o600);
  }

  /** Keeps bytes and answers where. */
  add(bytes: Uint8Array): number {
    const at = this.flushed + this.buffered;
    if (bytes.length > bufferBytes - this.buffered) {
      this.flush();
    }
    if (bytes.length > bufferBytes) {
      writeFully(this.descriptor, bytes, this.flushed);
      this.flushed += bytes.length;
    } else {
      this.buffer.set(bytes, this.buffered);
      this.buffered += bytes.length;
    }
    return at;
  }

  /** The bytes kept there, valid until the next call. */
  read(at: number, length: number): Uint8Array {
    this.flush();
    if (this.input.length < length) {
      this.input = new Uint8Array(length * 2);
    }
    const bytes = this.input.subarray(0, length);
    readExactly(this.descriptor, this.path, bytes, at);
    return bytes;
  }

  [Symbol.dispose](): void {
    closeSync(this.descriptor);
    rmSync(this.path, { force: true });
  }

  private flush(): void {
    if (this.buffered > 0) {
      writeFully(this.descriptor, this.buffer.subarray(0, this.buffered), this.flushed);
      this.flushed += this.buffered;
      this.buffered = 0;
    }
  }
}
