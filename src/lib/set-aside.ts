import { link, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/**
 * How a collector removes a file that somebody may write once more in the same moment: it is moved aside under another
 * name and looked at again there, where nobody replaces it; then it is removed, or goes back.
 */
const ending = ".removing";

/** Moves a file aside; false when it is not there. */
export async function setAside(file: string): Promise<boolean> {
  return rename(file, asidePath(file)).then(() => true, isAbsent);
}

/** Where a file lies after setAside. */
export function asidePath(file: string): string {
  return file + ending;
}

/** Unless the file is there again: the files of one name have the same contents. */
export async function putBack(file: string): Promise<void> {
  await link(asidePath(file), file).catch(() => {});
  await rm(asidePath(file));
}

/** Puts everything back that an interrupted collection had moved aside in a directory. */
export async function putAllBack(directory: string): Promise<void> {
  for (const name of (await readdir(directory)).filter((name) => name.endsWith(ending))) {
    await putBack(join(directory, name.slice(0, -ending.length)));
  }
}

/** Whether a file was last written before this instant, in milliseconds. */
export async function isOlder(path: string, instant: number): Promise<boolean> {
  return (await stat(path)).mtimeMs < instant;
}

/** False where the error says that a file is not there; throws every other one. */
function isAbsent(error: unknown): false {
  if ((error as { code?: unknown }).code !== "ENOENT") {
    throw error;
  }
  return false;
}
