import { createHash } from "node:crypto";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { limitTo } from "./support/limit.ts";
import { run } from "./support/run.ts";

/** One published version: its number, the registry's date (ISO 8601) and the digest of its archive. */
export interface PublishedVersion {
  version: string;
  published: string;
  integrity: string;
}

export interface PackageFile {
  path: string;
  bytes: Uint8Array;
  executable: boolean;
}

const versionsPerDownload = 12;
const downloading = limitTo(4);

/** What is taken of one version, in bytewise order of paths, so that a history stays small and always the same. */
const limits = { files: 2000, fileBytes: 512 * 1024, totalBytes: 12 * 1024 * 1024 };

/**
 * Downloads the archives of these versions into `directory` with npm, which knows the registry and its settings.
 * Archives that are there already are kept, so that an interrupted download goes on where it stopped.
 */
export async function downloadTarballs(
  name: string,
  versions: readonly PublishedVersion[],
  directory: string,
): Promise<void> {
  await mkdir(directory, { recursive: true });
  const missing: PublishedVersion[] = [];
  for (const version of versions) {
    if (!(await Bun.file(tarballPath(directory, name, version)).exists())) missing.push(version);
  }
  const groups: PublishedVersion[][] = [];
  for (let at = 0; at < missing.length; at += versionsPerDownload)
    groups.push(missing.slice(at, at + versionsPerDownload));
  await Promise.all(groups.map((group, index) => downloading(() => downloadGroup(name, group, directory, index))));
}

async function downloadGroup(
  name: string,
  group: readonly PublishedVersion[],
  directory: string,
  index: number,
): Promise<void> {
  // npm writes an archive in place: only a whole one, with the right digest, gets its final name.
  const incoming = join(directory, `incoming-${process.pid}-${index}`);
  await mkdir(incoming, { recursive: true });
  try {
    const wanted = group.map(({ version }) => `${name}@${version}`);
    await run(
      ["npm", "pack", "--silent", "--ignore-scripts", "--prefer-offline", "--pack-destination", incoming, ...wanted],
      { cwd: incoming },
    );
    for (const version of group) {
      const path = tarballPath(incoming, name, version);
      const digest = createHash("sha512")
        .update(await Bun.file(path).bytes())
        .digest("base64");
      if (`sha512-${digest}` !== version.integrity) {
        throw new Error(
          `The archive of ${name}@${version.version} has the digest sha512-${digest} instead of ${version.integrity}`,
        );
      }
      await rename(path, tarballPath(directory, name, version));
    }
  } finally {
    await rm(incoming, { recursive: true, force: true });
  }
}

/** The files of a downloaded version within the limits: no source maps, nothing that git refuses as a path. */
export async function readTarball(directory: string, name: string, version: PublishedVersion): Promise<PackageFile[]> {
  const archive = new Bun.Archive(await Bun.file(tarballPath(directory, name, version)).bytes());
  const inside = new Map<string, Blob>();
  for (const [path, file] of await archive.files()) {
    const stripped = path.slice(path.indexOf("/") + 1);
    if (isPlainPath(stripped) && !stripped.endsWith(".map") && file.size <= limits.fileBytes)
      inside.set(stripped, file);
  }
  const files: PackageFile[] = [];
  let total = 0;
  for (const path of [...inside.keys()].sort()) {
    const file = inside.get(path);
    if (!file || files.length >= limits.files || total + file.size > limits.totalBytes) continue;
    const bytes = await file.bytes();
    total += bytes.length;
    files.push({ path, bytes, executable: bytes[0] === 0x23 && bytes[1] === 0x21 });
  }
  return files;
}

function isPlainPath(path: string): boolean {
  return (
    /^[\x20-\x7e]+$/.test(path) &&
    !path.includes('"') &&
    path.split("/").every((part) => part !== "" && part !== "." && part !== ".." && part.toLowerCase() !== ".git")
  );
}

function tarballPath(directory: string, name: string, version: PublishedVersion): string {
  return join(directory, `${name}-${version.version}.tgz`);
}
