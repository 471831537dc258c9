import { accessSync, constants, existsSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";

/** Where Linux keeps files in memory. PostgreSQL needs it anyway. */
const memory = "/dev/shm";

/** A database that tests have filled, with its log, takes a few hundred megabytes. Containers often have 64 MB of it. */
const neededBytes = 2 * 1024 ** 3;

/**
 * The folder for many small files that are soon removed: in memory where there is room for them, else the system's
 * temporary one; that too where somebody has named another (`TMPDIR`). A database has a thousand files, and on a disk it
 * takes up to 0.4 s of processor time to make them: ext4 without a journal looks at each file that was removed in the last
 * minutes before it makes one. `temporary` is the system's folder.
 */
export function quickFolder(temporary = tmpdir()): string {
  return temporary === "/tmp" && hasRoom() ? memory : temporary;
}

/** Memory may be short although the folder, which is only bounded by what it may take, has room. */
function hasRoom(): boolean {
  try {
    accessSync(memory, constants.W_OK);
    const { bavail, bsize } = statfsSync(memory);
    return Math.min(bavail * bsize, process.availableMemory()) >= neededBytes;
  } catch {
    return false;
  }
}

/** Where `quickFolder` has led to, whatever room there was. */
export function temporaryFolders(): string[] {
  return tmpdir() === "/tmp" && existsSync(memory) ? ["/tmp", memory] : [tmpdir()];
}
