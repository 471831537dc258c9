import { constants, mkdirSync, readdirSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Copies a directory of plain files, with shared blocks where the filesystem can. All copies are handed over at once,
 * so that they go on in other threads while this one is busy.
 * `cp` of `node:fs` takes six times as long for a cluster's many small files.
 */
export async function copyTree(from: string, to: string): Promise<void> {
  const files: { source: string; target: string }[] = [];
  makeDirectories(from, to, files);
  await Promise.all(files.map(({ source, target }) => copyFile(source, target, constants.COPYFILE_FICLONE)));
}

function makeDirectories(from: string, to: string, files: { source: string; target: string }[]): void {
  mkdirSync(to, { mode: 0o700 });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const source = join(from, entry.name);
    const target = join(to, entry.name);
    if (entry.isDirectory()) {
      makeDirectories(source, target, files);
    } else if (entry.isFile()) {
      files.push({ source, target });
    }
  }
}
