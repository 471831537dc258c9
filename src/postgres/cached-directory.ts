import { chmodSync, existsSync, readFileSync, readdirSync, statSync, utimesSync } from "node:fs";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { FileLock } from "../lib/file-lock.ts";

const day = 24 * 60 * 60_000;
/** A directory that was not used for so long belongs to an old version. */
const unusedMs = 30 * day;
/** Nobody fills a directory for so long: it was killed. */
const unfinishedMs = day;

/** Others who find the same broken entry replace it at the same time. */
const publishAttempts = 3;

/** The directories that this process uses, by path. They are locked until it ends, so that no process removes them. */
const used = new Map<string, FileLock>();

/**
 * The directory `<path>/content`, filled once and kept. It appears by rename, so processes that fill it at the same
 * time do not disturb each other: the first that is done wins.
 *
 * Syncing many small files takes seconds on a busy disk, so nothing is synced. Instead `<path>/size` tells how much
 * there must be: after a power cut files that did not reach the disk are missing or empty, and all is made anew.
 */
export async function cachedDirectory(path: string, fill: (content: string) => Promise<void>): Promise<string> {
  const found = findCachedDirectory(path);
  if (found !== null) {
    return found;
  }
  const temporary = `${path}.unfinished-${crypto.randomUUID()}`;
  try {
    await mkdir(temporary, { recursive: true, mode: 0o755 });
    await fill(join(temporary, "content"));
    await writeFile(join(temporary, "size"), sizeOf(join(temporary, "content")));
    return await publish(temporary, path);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** Whose is there first stays; an incomplete one gives way. */
async function publish(temporary: string, path: string): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await rename(temporary, path);
      use(path);
      return join(path, "content");
    } catch (error) {
      const made = findCachedDirectory(path);
      if (made !== null) {
        return made;
      }
      if (attempt === publishAttempts || !existsSync(path)) {
        throw error;
      }
      // Somebody else may do the same at this moment.
      await setAside(path).catch(() => {});
    }
  }
}

/** The directory if it is there and complete. It stays until this process ends. */
export function findCachedDirectory(path: string): string | null {
  const content = join(path, "content");
  try {
    return use(path) && readFileSync(join(path, "size"), "utf8") === sizeOf(content) ? content : null;
  } catch {
    return null;
  }
}

/** Says that it is needed, now by its time and from now on by a lock; false while somebody removes it. */
function use(path: string): boolean {
  const lock = FileLock.tryShare(join(path, "size"));
  if (lock === null) {
    return false;
  }
  used.get(path)?.[Symbol.dispose]();
  used.set(path, lock);
  try {
    const now = new Date();
    utimesSync(path, now, now);
    // Whatever the umask of who made it: the user that the database runs as has to pass through.
    chmodSync(path, 0o755);
  } catch {
    // Another user's cache may be read but not touched; that user, too, sees the lock.
  }
  return true;
}

/** How many entries there are and how many bytes the files have. */
function sizeOf(directory: string): string {
  let entries = 0;
  let bytes = 0;
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    entries += 1;
    bytes += entry.isFile() ? statSync(join(entry.parentPath, entry.name)).size : 0;
  }
  return `${entries} entries, ${bytes} bytes\n`;
}

/**
 * Removes the cached directories (`postgres-…`, `cluster-…`) that nobody has used for thirty days and that no running
 * process uses, and what killed processes left unfinished. Answers how many.
 */
export async function removeUnusedDirectories(cacheDirectory: string, now: number = Date.now()): Promise<number> {
  let removed = 0;
  for (const name of (await readdir(cacheDirectory)).filter((entry) => /^(?:postgres|cluster)-/.test(entry))) {
    const path = join(cacheDirectory, name);
    try {
      const leftOver = name.includes(".unfinished-") || name.includes(".removing-");
      if (statSync(path).mtimeMs < now - (leftOver ? unfinishedMs : unusedMs)) {
        removed += Number(leftOver ? await remove(path) : await removeUnlessUsed(path));
      }
    } catch {
      // Somebody else removes it at the same time, or may and we may not.
    }
  }
  return removed;
}

async function removeUnlessUsed(path: string): Promise<boolean> {
  const size = join(path, "size");
  using lock = FileLock.tryAcquire(size);
  if (lock === null) {
    return false;
  }
  await setAside(path);
  return true;
}

/** Renames it first, so that its name is free at once for a new one. */
async function setAside(path: string): Promise<void> {
  const aside = `${path}.removing-${crypto.randomUUID()}`;
  await rename(path, aside);
  await rm(aside, { recursive: true, force: true });
}

async function remove(path: string): Promise<boolean> {
  await rm(path, { recursive: true, force: true });
  return true;
}
