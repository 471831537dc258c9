import { closeSync, fsyncSync, openSync } from "node:fs";
import { mkdir, open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { StithyError } from "./errors.ts";

/** The disk is full, or the part of it that this program may use. */
class StorageFull extends StithyError {
  constructor(cause: unknown) {
    super("storage-full", "There is no room left on the server's disk", {}, { cause });
  }
}

/** What was thrown, or StorageFull (code "storage-full") where it is how the system says that. */
export function explainFull(error: unknown): unknown {
  const { code } = (error ?? {}) as { code?: unknown };
  return code === "ENOSPC" || code === "EDQUOT" ? new StorageFull(error) : error;
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

/**
 * Renames a file that is already fsynced to its final place, durably.
 * Missing parent directories of the final place are made (and synced) first.
 */
export async function publishFile(temporary: string, final: string): Promise<void> {
  const directory = dirname(final);
  const made = await mkdir(directory, { recursive: true });
  await rename(temporary, final);
  syncDirectory(directory);
  if (made !== undefined) {
    syncDirectory(dirname(made));
  }
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
