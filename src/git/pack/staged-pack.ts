import { existsSync } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { explainFull, publishFiles } from "../../lib/files.ts";
import type { IndexedPack } from "./indexed-pack.ts";
import { indexPathOf, reachabilityPathOf } from "./pack-paths.ts";

/** Where an operation that makes a pack leaves it. Both directories are on one file system. */
export interface PackDestination {
  /** absolute; a published pack is `<first two digits of its checksum>/<checksum>.pack` in it, its index beside it */
  readonly directory: string;
  /** absolute, there already: where the pack is written, and lies until it is published or given up */
  readonly temporary: string;
}

/** A complete, durable pack with its index. Only the caller that asked for it knows its name. */
export interface StagedPack {
  readonly checksum: string;
  /** absolute: where it lies */
  readonly path: string;
  /** absolute: where publishPack puts it */
  readonly finalPath: string;
  readonly objectCount: number;
  /** of the pack without its index */
  readonly bytes: number;
}

/** Describes an indexed pack to the caller that asked for it. */
export function stagePack(pack: IndexedPack, directory: string): StagedPack {
  const { checksum, packPath, objectCount, packBytes } = pack;
  return {
    checksum,
    path: packPath,
    finalPath: join(directory, checksum.slice(0, 2), `${checksum}.pack`),
    objectCount,
    bytes: packBytes,
  };
}

/**
 * Renames a pack, its index and what was derived of it to their final places, durably. Where the same pack lies already,
 * that stays, since somebody may be about to read it, and so do the files that were staged. Throws StorageFull.
 */
export async function publishPack(pack: StagedPack): Promise<void> {
  const { path, finalPath } = pack;
  const move = (pathOf: (packPath: string) => string) => ({ temporary: pathOf(path), final: pathOf(finalPath) });
  // The index first: who finds a pack finds its index. Not every pack has something derived.
  const files = [
    move(indexPathOf),
    move(String),
    ...(existsSync(reachabilityPathOf(path)) ? [move(reachabilityPathOf)] : []),
  ];
  try {
    await publishFiles(dirname(finalPath), (await isPublished(pack)) ? [] : files);
  } catch (error) {
    throw explainFull(error);
  }
}

async function isPublished({ finalPath, bytes }: StagedPack): Promise<boolean> {
  const size = await stat(finalPath).then(
    (found) => found.size,
    () => null,
  );
  return size === bytes && existsSync(indexPathOf(finalPath));
}

/** Removes a pack of this path, and what lies beside it, as far as they are there. */
export async function discardPack(path: string): Promise<void> {
  // The pack first: who finds one finds its index.
  await rm(path, { force: true });
  await rm(indexPathOf(path), { force: true });
  await rm(reachabilityPathOf(path), { force: true });
}

/** A name for a pack that is not complete yet. */
export function temporaryPack(destination: PackDestination): string {
  return join(destination.temporary, `${crypto.randomUUID()}.pack`);
}
