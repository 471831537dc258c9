import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Database } from "../../../db/client.ts";
import { reachabilityEnding } from "../../../git/pack/pack-paths.ts";
import { spilledEnding } from "../../../git/pack/spilled-object.ts";
import { discardPack } from "../../../git/pack/staged-pack.ts";
import type { Logger } from "../../../lib/log.ts";
import { collectUnknownFiles, graceMs, type CollectOptions } from "../blobs/unknown-files.ts";
import { packFiles } from "./pack-files.ts";
import { packPath } from "./pack-path.ts";
import { removeRetiredPacks } from "./queries.ts";

/**
 * Removes packs with their indexes: those that were retired an hour ago, because they were replaced or their repository
 * was deleted, with their rows; and what a crash left (see `collectUnknownFiles`). Answers how many were removed.
 */
export async function collectPacks(
  db: Database,
  packDirectory: string,
  log: Logger,
  options: CollectOptions = {},
): Promise<number> {
  const grace = options.graceMs ?? graceMs;
  const retired = await removeRetiredPacks(db, grace, (checksum) => discardPack(packPath(packDirectory, checksum)));
  const unknown = await collectUnknownFiles(packFiles(db, packDirectory), log, options);
  for (const shard of await readdir(packDirectory)) {
    options.signal?.throwIfAborted();
    await removeDerivedFiles(join(packDirectory, shard), Date.now() - grace);
  }
  return retired + unknown;
}

/** Removes what lies beside packs and can be made anew: of packs that are gone, and what a crash left. */
async function removeDerivedFiles(directory: string, before: number): Promise<void> {
  const files = await readdir(directory);
  const there = new Set(files);
  // One whose pack is about to come can be spared, but need not be.
  for (const name of files.filter((file) => file.endsWith(reachabilityEnding))) {
    if (!there.has(name.slice(0, -reachabilityEnding.length) + ".pack")) {
      await rm(join(directory, name), { force: true });
    }
  }
  // A crash may leave one in the moment before it loses its name.
  for (const path of files.filter((file) => file.endsWith(spilledEnding)).map((file) => join(directory, file))) {
    if (await isOlder(path, before)) {
      await rm(path, { force: true });
    }
  }
}

/** False also for a file that is gone. */
async function isOlder(path: string, instant: number): Promise<boolean> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs < instant,
    () => false,
  );
}
