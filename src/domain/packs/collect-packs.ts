import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Database } from "../../db/client.ts";
import { reachabilityEnding } from "../../git/graph/reachability-file.ts";
import { asidePath, isOlder, putAllBack, putBack, setAside } from "../../lib/set-aside.ts";
import { knownPacks } from "./queries.ts";

/** A pack lies for a moment before the transaction that refers to it commits; nobody waits this long between the two. */
const graceMs = 60 * 60_000;

/**
 * Removes packs and indexes that no row refers to and that are older than an hour: what a crash or a refused push left.
 * A file is first moved aside and looked at again, because the same pack may be pushed once more in that moment.
 * Answers how many were removed.
 */
export async function collectPacks(db: Database, packDirectory: string, now: number = Date.now()): Promise<number> {
  let removed = 0;
  for (const shard of await readdir(packDirectory)) {
    const directory = join(packDirectory, shard);
    await putAllBack(directory);
    const files = await readdir(directory);
    const names = checksumsOf(files);
    const known = await knownPacks(db, [...names.keys()]);
    for (const [checksum, file] of names) {
      if (!known.has(checksum) && (await isOlder(join(directory, file), now - graceMs))) {
        removed += Number(await removePack(db, directory, checksum, now));
      }
    }
    // Derived files of packs that are gone; one whose pack is about to come can be spared, but need not be.
    const left = new Set(await readdir(directory));
    for (const name of files.filter((file) => file.endsWith(reachabilityEnding))) {
      if (!left.has(name.slice(0, -reachabilityEnding.length) + ".pack")) {
        await rm(join(directory, name), { force: true });
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

/**
 * Both files are moved aside, then looked at again: where a row refers to the pack by now, or one of them is another
 * file than the old one because the same pack is being pushed in this moment, they go back.
 */
async function removePack(db: Database, directory: string, checksum: string, now: number): Promise<boolean> {
  const files = ["pack", "idx"].map((ending) => join(directory, `${checksum}.${ending}`));
  const moved: string[] = [];
  for (const file of files) {
    if (await setAside(file)) {
      moved.push(file);
    }
  }
  const ages = await Promise.all(moved.map((file) => isOlder(asidePath(file), now - graceMs)));
  const keep = ages.includes(false) || (await knownPacks(db, [checksum])).size > 0;
  for (const file of moved) {
    await (keep ? putBack(file) : rm(asidePath(file)));
  }
  return !keep;
}
