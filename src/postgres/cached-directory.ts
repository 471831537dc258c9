import { readFileSync, readdirSync, statSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * The directory `<path>/content`, filled once and kept. It appears by rename, so processes that fill it at the same
 * time do not disturb each other: the first that is done wins.
 *
 * Syncing a thousand small files takes seconds on a busy disk, so nothing is synced. Instead `<path>/size` tells how
 * much there must be: after a power cut files that did not reach the disk are missing or empty, and all is made anew.
 */
export async function cachedDirectory(path: string, fill: (content: string) => Promise<void>): Promise<string> {
  const content = join(path, "content");
  if (isComplete(path)) {
    return content;
  }
  const temporary = `${path}.unfinished-${crypto.randomUUID()}`;
  try {
    await mkdir(temporary, { recursive: true, mode: 0o755 });
    await fill(join(temporary, "content"));
    await writeFile(join(temporary, "size"), sizeOf(join(temporary, "content")));
    if (!isComplete(path)) {
      await rm(path, { recursive: true, force: true });
      await rename(temporary, path);
    }
  } catch (error) {
    if (!isComplete(path)) {
      throw error;
    }
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  return content;
}

function isComplete(path: string): boolean {
  try {
    return readFileSync(join(path, "size"), "utf8") === sizeOf(join(path, "content"));
  } catch {
    return false;
  }
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
