import { link, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Database } from "../../db/client.ts";
import { knownPacks } from "./queries.ts";

/** A pack lies for a moment before the transaction that refers to it commits; nobody waits this long between the two. */
const graceMs = 60 * 60_000;

/**
 * Removes pack files that no row refers to and that are older than an hour: what a crash or a refused push left.
 * A file is first moved aside and looked at again, because the same pack may be pushed once more in that moment.
 * Answers how many were removed.
 */
export async function collectPacks(db: Database, packDirectory: string, now: number = Date.now()): Promise<number> {
  let removed = 0;
  for (const shard of await readdir(packDirectory)) {
    const directory = join(packDirectory, shard);
    const names = (await readdir(directory)).filter((name) => name.endsWith(".pack")).map((name) => name.slice(0, -".pack".length));
    const known = await knownPacks(db, names);
    for (const checksum of names.filter((name) => !known.has(name))) {
      if (await isOld(join(directory, `${checksum}.pack`), now)) {
        removed += Number(await removePack(db, directory, checksum));
      }
    }
  }
  return removed;
}

async function isOld(path: string, now: number): Promise<boolean> {
  return (await stat(path)).mtimeMs < now - graceMs;
}

async function removePack(db: Database, directory: string, checksum: string): Promise<boolean> {
  const final = join(directory, `${checksum}.pack`);
  const aside = `${final}.removing`;
  await rename(final, aside);
  if ((await knownPacks(db, [checksum])).size > 0) {
    await link(aside, final).catch(() => {});
    await rm(aside);
    return false;
  }
  await rm(join(directory, `${checksum}.idx`), { force: true });
  await rm(aside);
  return true;
}
