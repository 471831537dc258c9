import { closeSync, openSync } from "node:fs";
import { tryFlock } from "./libc.ts";

/**
 * A lock on a file, held until disposed or until the process ends in any way, kill -9 included.
 * The file stays: removing a lock file would let two processes lock two files of one name.
 */
export class FileLock implements Disposable {
  #descriptor: number | null;

  private constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  /** Makes the file if needed and locks it; null when another process (or another lock of this one) has it. */
  static tryAcquire(path: string): FileLock | null {
    const descriptor = openSync(path, "a", 0o600);
    if (tryFlock(descriptor)) {
      return new FileLock(descriptor);
    }
    closeSync(descriptor);
    return null;
  }

  /**
   * Locks a file together with everybody else who does so; null when somebody holds it exclusively.
   * Throws the system's error when there is no such file.
   */
  static tryShare(path: string): FileLock | null {
    const descriptor = openSync(path, "r");
    if (tryFlock(descriptor, "shared")) {
      return new FileLock(descriptor);
    }
    closeSync(descriptor);
    return null;
  }

  [Symbol.dispose](): void {
    if (this.#descriptor !== null) {
      closeSync(this.#descriptor);
      this.#descriptor = null;
    }
  }
}
