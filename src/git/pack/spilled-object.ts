import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { copyBytes } from "../../lib/copy-bytes.ts";
import { explainFull } from "../../lib/files.ts";
import type { PositionedBytes } from "./positioned-bytes.ts";
import { readExactly } from "./window-cache.ts";

/** The ending of the temporary names of these files. */
export const spilledEnding = ".spilled";

/** Copies from here on go past the pages. */
const largeCopyBytes = 4096;
const pageBytes = 16 * 1024;
const pageCount = 64;

/**
 * An object, or what else is too large to be held, in a file that has no name: whatever happens to this thread or to
 * the process, nothing is left of it. Takes at most 1 MB of memory, once small parts are read.
 */
export class SpilledObject implements PositionedBytes, Disposable {
  size = 0;
  /** For deltas that copy a few bytes at a time: a page at each place, by the number of the page modulo their count. */
  #pages = new Uint8Array(0);
  readonly #pageAt = new Float64Array(pageCount).fill(-1);

  #isOpen = true;

  private constructor(
    private readonly descriptor: number,
    private readonly path: string,
  ) {}

  /** An empty one; `directory` only says on which file system. Throws StorageFull. */
  static create(directory: string): SpilledObject {
    const path = join(directory, `${crypto.randomUUID()}${spilledEnding}`);
    try {
      const descriptor = openSync(path, "wx+", 0o600);
      rmSync(path);
      return new SpilledObject(descriptor, path);
    } catch (error) {
      throw explainFull(error);
    }
  }

  /** One that holds all of this. Throws StorageFull, and what `pieces` throws. */
  static of(directory: string, pieces: Iterable<Uint8Array>): SpilledObject {
    const object = SpilledObject.create(directory);
    try {
      for (const piece of pieces) {
        object.append(piece);
      }
      return object;
    } catch (error) {
      object[Symbol.dispose]();
      throw error;
    }
  }

  [Symbol.dispose](): void {
    if (this.#isOpen) {
      this.#isOpen = false;
      closeSync(this.descriptor);
    }
  }

  /** Adds bytes to the end; not once it was read from. Throws StorageFull. */
  append(bytes: Uint8Array): void {
    try {
      for (let written = 0; written < bytes.length;) {
        written += writeSync(this.descriptor, bytes, written, bytes.length - written, this.size + written);
      }
    } catch (error) {
      throw explainFull(error);
    }
    this.size += bytes.length;
  }

  copy(from: number, length: number, target: Uint8Array, at: number): void {
    if (length >= largeCopyBytes) {
      readExactly(this.descriptor, this.path, target.subarray(at, at + length), from);
      return;
    }
    const end = from + length;
    for (let position = from; position < end;) {
      const page = Math.floor(position / pageBytes);
      const start = this.#load(page);
      const next = Math.min(end, (page + 1) * pageBytes);
      const offset = start + (position - page * pageBytes);
      copyBytes(this.#pages, offset, offset + (next - position), target, at + (position - from));
      position = next;
    }
  }

  /** Where in `#pages` a page of the file is. */
  #load(page: number): number {
    if (this.#pages.length === 0) {
      this.#pages = new Uint8Array(pageCount * pageBytes);
    }
    const slot = page % pageCount;
    if (this.#pageAt[slot] !== page) {
      const length = Math.min(pageBytes, this.size - page * pageBytes);
      this.#pageAt[slot] = -1;
      readExactly(
        this.descriptor,
        this.path,
        this.#pages.subarray(slot * pageBytes, slot * pageBytes + length),
        page * pageBytes,
      );
      this.#pageAt[slot] = page;
    }
    return slot * pageBytes;
  }
}
