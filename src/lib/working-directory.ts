import { existsSync } from "node:fs";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { FileLock } from "./file-lock.ts";

const lockEnding = ".lock";

/**
 * A directory of unfinished files beside those of other processes, all in one parent. A lock beside it, `<name>.lock`,
 * lasts as long as the process, so that `emptyWorkingDirectories` knows which directories are in use. Disposing removes
 * both.
 */
export class WorkingDirectory implements AsyncDisposable {
  private constructor(
    readonly path: string,
    private readonly lock: FileLock,
  ) {}

  /** Makes one in `parent`, which is made if needed. The name is `prefix` and something that nobody else has. */
  static async open(parent: string, prefix: string): Promise<WorkingDirectory> {
    await mkdir(parent, { recursive: true, mode: 0o700 });
    for (;;) {
      const path = join(parent, `${prefix}-${crypto.randomUUID()}`);
      const lock = FileLock.tryAcquire(path + lockEnding);
      // Somebody who cleans up may have been faster, before the lock was taken.
      if (lock !== null && existsSync(path + lockEnding)) {
        await mkdir(path, { mode: 0o700 });
        return new WorkingDirectory(path, lock);
      }
      lock?.[Symbol.dispose]();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
    await rm(this.path + lockEnding, { force: true });
    this.lock[Symbol.dispose]();
  }
}

/** Removes everything in a directory but the working directories of processes that are alive. A missing one stays so. */
export async function emptyWorkingDirectories(parent: string): Promise<void> {
  const names = existsSync(parent) ? await readdir(parent) : [];
  const inUse = new Set<string>();
  for (const name of names.filter((entry) => entry.endsWith(lockEnding))) {
    using lock = FileLock.tryAcquire(join(parent, name));
    if (lock === null) {
      inUse.add(name).add(name.slice(0, -lockEnding.length));
    } else {
      // Removed while it is locked, so that the next process that locks it sees that it is gone.
      await rm(join(parent, name), { force: true });
    }
  }
  for (const name of names.filter((entry) => !inUse.has(entry))) {
    await rm(join(parent, name), { recursive: true, force: true });
  }
}
