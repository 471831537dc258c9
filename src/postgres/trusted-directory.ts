import { closeSync, constants, fchmodSync, lstatSync, mkdirSync, openSync, realpathSync, type Stats } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PostgresUnavailable } from "./errors.ts";

/**
 * The cache directory, made if absent, or the one in the temporary folder where others could have put something into it:
 * its programs are run, and its databases are begun with. So it is where root kept the environment of the user who ran `sudo`.
 * @throws PostgresUnavailable when there is no place
 */
export function trustedCache(cacheDirectory: string): string {
  mkdirSync(cacheDirectory, { recursive: true });
  return isOurs(cacheDirectory) ? cacheDirectory : openCache();
}

/**
 * Whether nobody but this user and root can change what is in a directory: it and all above it are theirs, and not writable
 * by everybody. Whom they let write as a group they trust: where each user has a group, homes are often open to it.
 */
export function isOurs(directory: string): boolean {
  const uid = process.geteuid?.() ?? 0;
  const path = realpathSync(directory);
  return withParents(path).every(({ at, stats }) => {
    const openToAll = (stats.mode & 0o002) !== 0;
    // In a directory such as /tmp everybody may make names, but only change their own.
    const sticky = (stats.mode & 0o1000) !== 0 && at !== path;
    return (stats.uid === uid || stats.uid === 0) && (!openToAll || sticky);
  });
}

function withParents(path: string): { at: string; stats: Stats }[] {
  const parent = dirname(path);
  return [{ at: path, stats: lstatSync(path) }, ...(parent === path ? [] : withParents(parent))];
}

function openCachePath(): string {
  return join(tmpdir(), `stithy-programs-${process.geteuid?.() ?? 0}`);
}

/**
 * A directory in the temporary folder for programs that other users may run.
 * @throws PostgresUnavailable when someone else could change what it holds
 */
export function openCache(): string {
  const path = openCachePath();
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) {
    // Several servers may do so at once.
    mkdirSync(path, { recursive: true, mode: 0o755 });
  }
  openToReaders(path);
  if (!isOpenCache(path)) {
    throw new PostgresUnavailable(
      `The PostgreSQL programs cannot be unpacked to ${path}, because someone else made it or may write to it: remove it`,
    );
  }
  return path;
}

/** Whatever the umask of who made it, and whether that was killed before it came to this. What others could write to stays as it is. */
function openToReaders(path: string): void {
  const found = lstatSync(path);
  if (!found.isDirectory() || found.uid !== (process.geteuid?.() ?? 0) || (found.mode & 0o022) !== 0) {
    return;
  }
  // Not by its name: in a temporary folder of another user that may be a link to something else by now.
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    fchmodSync(descriptor, 0o755);
  } finally {
    closeSync(descriptor);
  }
}

/** The directory that `openCache` made once, if it is there. */
export function findOpenCache(): string | null {
  const path = openCachePath();
  return isOpenCache(path) ? path : null;
}

function isOpenCache(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return (
    found !== undefined &&
    found.isDirectory() &&
    found.uid === (process.geteuid?.() ?? 0) &&
    (found.mode & 0o777) === 0o755
  );
}
