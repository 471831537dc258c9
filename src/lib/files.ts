import { chmodSync, closeSync, constants, fsyncSync, openSync, rmSync, writeFileSync } from "node:fs";
import { chmod, copyFile, mkdir, open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { StithyError } from "./errors.ts";

/** The disk is full, or the part of it that this program may use. */
class StorageFull extends StithyError {
  constructor(cause: unknown) {
    super("full", "storage-full", "There is no room left on the server's disk", {}, { cause });
  }
}

let fullAt = -Infinity;

/** Notes that a write of this process has found no room. */
export function noteFull(): void {
  fullAt = Date.now();
}

/** When a write of this process last found no room, in milliseconds since 1970; -Infinity: never. */
export function lastFullAt(): number {
  return fullAt;
}

/** Whether it is how the system says that there is no room. */
export function isFull(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return code === "ENOSPC" || code === "EDQUOT";
}

/** Returns the error, or StorageFull (code "storage-full") if it says that the disk is full, which is noted. */
export function explainFull(error: unknown): unknown {
  if (!isFull(error)) {
    return error;
  }
  noteFull();
  return new StorageFull(error);
}

/** Makes the entries of a directory durable: a rename into it is only safe after this. */
export function syncDirectory(path: string): void {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Where a file was written, and where it belongs. */
export interface Move {
  readonly temporary: string;
  readonly final: string;
}

/** Directories whose entry in their parent this process has made durable. */
const settled = new Set<string>();

/**
 * Renames files that are already fsynced to their final places in one directory, one after the other, durably.
 * Missing parent directories are made (and synced) first. No thread waits for the disk.
 */
export async function publishFiles(directory: string, files: readonly Move[]): Promise<void> {
  const made = await mkdir(directory, { recursive: true });
  for (const { temporary, final } of files) {
    await rename(temporary, final);
  }
  await sync(directory);
  if (made !== undefined) {
    await sync(dirname(made));
  } else if (!settled.has(directory)) {
    // A process that finds the directory does not know whether its maker has already synced the parent. If the parent
    // is closed to us, none of our processes made it.
    await sync(dirname(directory)).catch((error: unknown) => {
      if ((error as { code?: unknown }).code !== "EACCES") {
        throw error;
      }
    });
  }
  settled.add(directory);
}

async function sync(directory: string): Promise<void> {
  await using handle = await open(directory, "r");
  await handle.sync();
}

/** Does this for a single file. */
export async function publishFile(temporary: string, final: string): Promise<void> {
  await publishFiles(dirname(final), [{ temporary, final }]);
}

/** Writes a whole small file so that after a crash it is either absent or complete. */
export async function writeFileDurably(path: string, bytes: Uint8Array | string, mode = 0o600): Promise<void> {
  const temporary = `${path}.tmp-${process.pid}-${crypto.randomUUID()}`;
  const handle = await open(temporary, "wx", mode);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await publishFile(temporary, path);
}

/**
 * Copies a file of somebody else, with shared blocks where the file system can. The copy is this program's: it may write to
 * it, whatever the mode of the original says (git's packs have 0444).
 */
export async function copyIn(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  await chmod(to, 0o600);
}

/**
 * Writes a small file without syncing, for a run that no crash or power cut concerns. It is synchronous and takes less
 * than a millisecond: with a thread, a start that loads modules would continue only after 20 to 50.
 */
export async function writeFileUnsynced(path: string, bytes: Uint8Array | string, mode = 0o600): Promise<void> {
  rmSync(path, { force: true });
  writeFileSync(path, bytes, { mode });
  // The umask may have taken something off.
  chmodSync(path, mode);
}
