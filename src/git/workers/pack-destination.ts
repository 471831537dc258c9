import { basename, join } from "node:path";
import { rename, rm } from "node:fs/promises";
import { publishFile } from "../../lib/files.ts";
import { reachabilityPath } from "../graph/reachability-file.ts";
import type { IndexedPack } from "../pack/index-pack.ts";

/** Where an operation that makes a pack puts it. Both directories are on one file system. */
export interface PackDestination {
  /** absolute; the pack becomes `<first two digits of its checksum>/<checksum>.pack` in it, its index beside it */
  readonly directory: string;
  /** absolute, there already: for files that are not complete yet */
  readonly temporary: string;
}

/** A pack in its final place, durable. */
export interface PublishedPack {
  readonly checksum: string;
  /** absolute */
  readonly path: string;
  readonly objectCount: number;
  /** of the pack without its index */
  readonly bytes: number;
}

/** Renames a pack and its index, both fsynced, to their final place, and with them what was derived of it. */
export async function publishPack(pack: IndexedPack, destination: string): Promise<PublishedPack> {
  const path = join(destination, pack.checksum.slice(0, 2), `${pack.checksum}.pack`);
  // The index first: who finds a pack finds its index.
  await publishFile(pack.indexPath, indexPathOf(path));
  await publishFile(pack.packPath, path);
  // Derived and written by nobody but the push of a whole repository, so it may be missing, also after a crash.
  await rename(reachabilityPath(pack.packPath), reachabilityPath(path)).catch(() => {});
  return { checksum: pack.checksum, path, objectCount: pack.objectCount, bytes: pack.packBytes };
}

/** Removes a pack under its temporary name, and what lies beside it, as far as they are there. */
export async function discardPack(path: string): Promise<void> {
  await rm(path, { force: true });
  await rm(indexPathOf(path), { force: true });
  await rm(reachabilityPath(path), { force: true });
}

/** A name for a pack that is not complete yet. */
export function temporaryPack(destination: PackDestination): string {
  return join(destination.temporary, `${crypto.randomUUID()}.pack`);
}

function indexPathOf(packPath: string): string {
  return join(packPath, "..", `${basename(packPath, ".pack")}.idx`);
}
