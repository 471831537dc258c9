import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Database } from "../../db/client.ts";
import { reachabilityEnding } from "../../git/graph/reachability-file.ts";
import { spilledEnding } from "../../git/pack/spilled-object.ts";
import { discardPack } from "../../git/workers/pack-destination.ts";
import { knownPacks, whileUnnamed } from "./queries.ts";

/** Who had begun to read a repository before it was repacked may open its old packs for so long. */
const graceMs = 60 * 60_000;

/**
 * Removes packs and indexes that no row refers to and that are older than an hour: those that were replaced, or whose
 * repository was deleted, and what a crash left. Answers how many were removed.
 */
export async function collectPacks(db: Database, packDirectory: string, now: number = Date.now()): Promise<number> {
  let removed = 0;
  for (const shard of await readdir(packDirectory)) {
    const directory = join(packDirectory, shard);
    const files = await readdir(directory);
    const names = checksumsOf(files);
    const known = await knownPacks(db, [...names.keys()]);
    for (const [checksum, file] of names) {
      const path = join(directory, file);
      if (!known.has(checksum) && (await isOlder(path, now - graceMs))) {
        // Somebody may publish the same pack once more in this moment, who then has to wait for us, or we for them.
        removed += Number(await whileUnnamed(db, checksum, () => discardPack(join(directory, `${checksum}.pack`))));
      }
    }
    // Derived files of packs that are gone; one whose pack is about to come can be spared, but need not be.
    const left = new Set(await readdir(directory));
    for (const name of files.filter((file) => file.endsWith(reachabilityEnding))) {
      if (!left.has(name.slice(0, -reachabilityEnding.length) + ".pack")) {
        await rm(join(directory, name), { force: true });
      }
    }
    // A crash may leave one in the moment before it loses its name.
    for (const path of files.filter((file) => file.endsWith(spilledEnding)).map((file) => join(directory, file))) {
      if (await isOlder(path, now - graceMs)) {
        await rm(path, { force: true });
      }
    }
  }
  return removed;
}

/**
 * For each checksum the pack's file, or that of its index where there is only that: a crash between the two renames of
 * a push leaves it.
 */
function checksumsOf(files: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const ending of [".idx", ".pack"]) {
    for (const name of files.filter((file) => file.endsWith(ending))) {
      found.set(name.slice(0, -ending.length), name);
    }
  }
  return found;
}

/** False also for a file that is gone: a push that was refused takes its own away. */
async function isOlder(path: string, instant: number): Promise<boolean> {
  return stat(path).then(({ mtimeMs }) => mtimeMs < instant, () => false);
}
