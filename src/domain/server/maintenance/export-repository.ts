import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { BlobStore } from "../../../blobs/blob-store.ts";
import type { Database } from "../../../db/client.ts";
import { objectFormat, type ObjectFormat, type ObjectFormatName } from "../../../git/objects/object-format.ts";
import { readChecked } from "../../../git/pack/read-checked.ts";
import type { Ref } from "../../../git/refs/ref.ts";
import { syncDirectory } from "../../../lib/files.ts";
import { Conflict, NotFound } from "../../spine/errors.ts";
import { exportObjects } from "../../git/lfs/export-objects.ts";
import { indexPathOf } from "../../../git/pack/pack-paths.ts";
import { packPath } from "../../git/packs/pack-path.ts";
import { listPacks } from "../../git/packs/queries.ts";
import { prepareRefQueries } from "../../git/refs/queries.ts";
import { countLfs, findMaintainedByName } from "./queries.ts";

export interface ExportRequest {
  owner: string;
  name: string;
  /** Absolute path of the new directory; its parent exists. */
  directory: string;
  /** Absolute directory of the server's packs. */
  packDirectory: string;
  blobs: BlobStore;
  /** Told how many of how many bytes have been copied. */
  onProgress: (done: number, total: number) => void;
}

/**
 * Writes a repository as a plain bare one that git opens, with its LFS objects where git-lfs looks for them, checking packs and
 * objects on the way. The directory appears under its name when it is complete. Throws NotFound, Conflict when something
 * is there already, CorruptPack, BlobMissing, BlobMismatch.
 */
export async function exportRepository(
  db: Database,
  request: ExportRequest,
): Promise<{ packs: number; bytes: number; refs: number; lfsObjects: number }> {
  const { directory } = request;
  const found = await findMaintainedByName(db, request.owner, request.name);
  if (found === null) {
    throw new NotFound("repository", `${request.owner}/${request.name}`);
  }
  if ((await stat(directory).catch(() => null)) !== null) {
    throw new Conflict(`There is something at ${directory} already`);
  }
  const { id, objectFormat: formatName, defaultBranch } = found;
  const { bytes: lfsBytes } = await countLfs(db, found);
  const format = objectFormat(formatName);
  // The refs first: packs that come in afterwards are only more than they need.
  const refs = await prepareRefQueries(db).listRefs(id);
  const packs = await listPacks(db, id);
  const bytes = packs.reduce((sum, pack) => sum + pack.bytes, 0);
  let done = 0;
  const onBytes = (count: number) => request.onProgress((done += count), bytes + lfsBytes);
  let lfsObjects: number;
  const temporary = join(dirname(directory), `.${basename(directory)}.unfinished-${crypto.randomUUID()}`);
  try {
    await makeSkeleton(temporary);
    for (const { checksum } of packs) {
      const source = packPath(request.packDirectory, checksum);
      const target = join(temporary, "objects", "pack", `pack-${checksum}.pack`);
      await copyChecked(source, target, format, checksum, onBytes);
      await copyChecked(indexPathOf(source), indexPathOf(target), format, null, () => {});
    }
    lfsObjects = await exportObjects(db, request.blobs, id, join(temporary, "lfs", "objects"), onBytes);
    await writeNew(join(temporary, "packed-refs"), packedRefs(refs));
    await writeNew(join(temporary, "config"), configuration(formatName));
    await writeNew(join(temporary, "HEAD"), `ref: refs/heads/${defaultBranch}\n`);
    // From the inside out, so that what has a name after a crash is complete.
    ["objects/pack", "objects", "refs", "."].forEach((path) => syncDirectory(join(temporary, path)));
    await rename(temporary, directory);
    syncDirectory(dirname(directory));
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    throw error;
  }
  return { packs: packs.length, bytes, refs: refs.length, lfsObjects };
}

async function makeSkeleton(directory: string): Promise<void> {
  for (const path of ["objects/pack", "objects/info", "refs/heads", "refs/tags"]) {
    await mkdir(join(directory, path), { recursive: true });
  }
}

async function writeNew(path: string, text: string): Promise<void> {
  await using file = await open(path, "wx", 0o666);
  await file.writeFile(text);
  await file.sync();
}

async function copyChecked(
  from: string,
  to: string,
  format: ObjectFormat,
  checksum: string | null,
  onBytes: (bytes: number) => void,
): Promise<void> {
  await using target = await open(to, "wx", 0o444);
  for await (const piece of readChecked(from, format, checksum)) {
    await target.writeFile(piece);
    onBytes(piece.length);
  }
  await target.sync();
}

/** gitrepository-layout(5), git-pack-refs(1): a line for each ref, and below one for an annotated tag what it points at. */
function packedRefs(refs: readonly Ref[]): string {
  const lines = refs.map(({ name, oid, peeled }) => `${oid} ${name}\n${peeled === null ? "" : `^${peeled}\n`}`);
  return `# pack-refs with: peeled fully-peeled sorted \n${lines.join("")}`;
}

/** Only repositories with other object names than git's first ones need the newer layout. */
function configuration(format: ObjectFormatName): string {
  const version = format === "sha1" ? 0 : 1;
  const extensions = format === "sha1" ? "" : `[extensions]\n\tobjectformat = ${format}\n`;
  return `[core]\n\trepositoryformatversion = ${version}\n\tfilemode = true\n\tbare = true\n${extensions}`;
}
