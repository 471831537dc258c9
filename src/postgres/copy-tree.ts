import { constants } from "node:fs";
import { copyFile, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";

const parallelCopies = 8;

/**
 * Copies a directory of plain files, with shared blocks where the filesystem can.
 * `cp` of `node:fs` takes six times as long for a cluster's 1,700 small files.
 */
export async function copyTree(from: string, to: string): Promise<void> {
  const files: { source: string; target: string }[] = [];
  await makeDirectories(from, to, files);
  let next = 0;
  const copyRest = async (): Promise<void> => {
    for (let file = files[next++]; file !== undefined; file = files[next++]) {
      await copyFile(file.source, file.target, constants.COPYFILE_FICLONE);
    }
  };
  await Promise.all(Array.from({ length: parallelCopies }, copyRest));
}

async function makeDirectories(from: string, to: string, files: { source: string; target: string }[]): Promise<void> {
  await mkdir(to, { mode: 0o700 });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const source = join(from, entry.name);
    const target = join(to, entry.name);
    if (entry.isDirectory()) {
      await makeDirectories(source, target, files);
    } else if (entry.isFile()) {
      files.push({ source, target });
    }
  }
}
