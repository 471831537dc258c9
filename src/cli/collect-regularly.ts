import { describeError } from "../db/pg-errors.ts";
import { collectBlobs } from "../domain/blobs/collect-blobs.ts";
import type { Forge } from "../domain/forge.ts";
import { collectPacks } from "../domain/packs/collect-packs.ts";

const intervalMs = 60 * 60_000;

/** Removes files of packs and blobs that nobody refers to, now and every hour, in the background. Disposing ends it. */
export function collectRegularly(forge: Forge): Disposable {
  const { db } = forge.database;
  const collect = async (what: string, remove: () => Promise<number>) => {
    try {
      const removed = await remove();
      if (removed > 0) {
        forge.log.info({ removed }, `Removed ${what} that nothing refers to`);
      }
    } catch (error) {
      forge.log.warn(describeError(error), `The ${what} that nothing refers to could not be collected`);
    }
  };
  const collectAll = async () => {
    await collect("packs", () => collectPacks(db, forge.packDirectory));
    await collect("blobs", () => collectBlobs(db, forge.blobs));
  };
  void collectAll();
  const timer = setInterval(collectAll, intervalMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
