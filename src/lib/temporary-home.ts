import { chmodSync, mkdtempSync } from "node:fs";
import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { FileLock } from "./file-lock.ts";
import { temporaryFolders } from "./quick-folder.ts";

const prefix = "stithy-ephemeral-";
const lockName = "owner.lock";
/** Between the making of a directory and of the lock in it lies a moment in which it looks abandoned. */
const graceMs = 10_000;

/** A directory in a temporary folder that is removed when this is disposed of, or by the next run when this process is killed. */
export class TemporaryHome implements AsyncDisposable {
  private constructor(
    readonly path: string,
    private readonly lock: FileLock,
  ) {}

  static create(folder: string): TemporaryHome {
    const path = mkdtempSync(join(folder, prefix));
    // The database may run as another user, who has to pass through; what lies inside protects itself.
    chmodSync(path, 0o711);
    const lock = FileLock.tryAcquire(join(path, lockName));
    if (lock === null) {
      throw new Error(`The new directory ${path} is locked by someone else`);
    }
    return new TemporaryHome(path, lock);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
    this.lock[Symbol.dispose]();
  }
}

/** Removes what killed runs left behind: directories whose owner file nobody has locked. Answers how many. */
export async function removeAbandonedHomes(): Promise<number> {
  let removed = 0;
  for (const folder of temporaryFolders()) {
    for (const name of (await readdir(folder)).filter((entry) => entry.startsWith(prefix))) {
      removed += Number(await removeIfAbandoned(join(folder, name)));
    }
  }
  return removed;
}

async function removeIfAbandoned(path: string): Promise<boolean> {
  try {
    const { uid, birthtimeMs } = await lstat(path);
    const lockPath = join(path, lockName);
    const locked = await Bun.file(lockPath).exists();
    if (uid !== process.geteuid?.() || (!locked && Date.now() - birthtimeMs < graceMs)) {
      return false;
    }
    using lock = FileLock.tryAcquire(lockPath);
    if (lock === null) {
      return false;
    }
    await rm(path, { recursive: true, force: true });
    return true;
  } catch {
    // Somebody else removes it at the same time, or may and we may not.
    return false;
  }
}
