import { readSync } from "node:fs";
import { CorruptPack } from "./errors.ts";

/** The file that a window is read from. `id` is unique among the open files of this worker. */
export interface WindowSource {
  readonly id: number;
  readonly path: string;
  readonly descriptor: number;
  readonly packBytes: number;
}

const windowShift = 18;
/** 256 KB: one costs some 25 µs to read, and a tree walk finds its neighbours in it. */
const windowBytes = 1 << windowShift;
const maxSpare = 4;
/** File ids times this leave room for files of 64 TB. */
const windowsOfFile = 2 ** 28;

/**
 * Parts of pack files, read where they are needed and kept up to a limit, shared by all packs of a worker.
 * Packs are not mapped into memory: reading a cut-off or failing mapped file kills the process, and mapped pages obey
 * no limit. A failed read here is an error of one request.
 */
export class WindowCache {
  private readonly windows = new Map<number, Uint8Array>();
  private bytes = 0;
  private lastKey = -1;
  private last: Uint8Array = new Uint8Array(0);
  /**
   * The whole windows that went last, to be filled again: thrown away, windows would pile up between two garbage
   * collections. Those at the ends of packs are shorter and go in between.
   */
  private readonly spare: Uint8Array[] = [];

  constructor(private readonly limitBytes: number) {}

  /** The window that holds byte `offset`, which is at `offset - windowStart(offset)` in it; valid until the next call. Throws CorruptPack. */
  windowAt(source: WindowSource, offset: number): Uint8Array {
    const number = Math.floor(offset / windowBytes);
    const key = source.id * windowsOfFile + number;
    if (key === this.lastKey) {
      return this.last;
    }
    let window = this.windows.get(key);
    if (window === undefined) {
      window = this.load(source, number * windowBytes);
      this.windows.set(key, window);
      this.bytes += window.length;
      this.evict(key);
    }
    this.lastKey = key;
    this.last = window;
    return window;
  }

  /** Where in the file the window that holds `offset` starts. */
  windowStart(offset: number): number {
    return Math.floor(offset / windowBytes) * windowBytes;
  }

  /** Forgets what belongs to a file that is closed. */
  drop(source: WindowSource): void {
    for (const [key, window] of this.windows) {
      if (Math.floor(key / windowsOfFile) === source.id) {
        this.windows.delete(key);
        this.bytes -= window.length;
      }
    }
    this.lastKey = -1;
  }

  /** Forgets all. */
  clear(): void {
    this.windows.clear();
    this.bytes = 0;
    this.lastKey = -1;
    this.last = new Uint8Array(0);
    this.spare.length = 0;
  }

  private load(source: WindowSource, start: number): Uint8Array {
    const length = Math.min(windowBytes, source.packBytes - start);
    const window = (length === windowBytes ? this.spare.pop() : undefined) ?? new Uint8Array(length);
    readExactly(source.descriptor, source.path, window, start);
    return window;
  }

  /** Oldest first; the one just read stays. */
  private evict(justRead: number): void {
    for (const [key, window] of this.windows) {
      if (this.bytes <= this.limitBytes || key === justRead) {
        return;
      }
      this.windows.delete(key);
      this.bytes -= window.length;
      if (window.length === windowBytes && this.spare.length < maxSpare) {
        this.spare.push(window);
      }
    }
  }
}

/** Fills `target` from `position` of an open file. Throws CorruptPack if the file ends before or cannot be read. */
export function readExactly(descriptor: number, path: string, target: Uint8Array, position: number): void {
  let filled = 0;
  while (filled < target.length) {
    let read: number;
    try {
      read = readSync(descriptor, target, filled, target.length - filled, position + filled);
    } catch (error) {
      throw new CorruptPack(`Cannot read "${path}"`, path, { cause: error });
    }
    if (read === 0) {
      throw new CorruptPack(`Cannot read "${path}": it ends at byte ${position + filled}`, path);
    }
    filled += read;
  }
}
