import { describeError } from "../db/pg-errors.ts";
import { collectBlobs } from "../domain/blobs/collect-blobs.ts";
import type { Forge } from "../domain/forge.ts";
import { MaintainRepositories } from "../domain/maintenance/maintain-repositories.ts";
import { collectPacks } from "../domain/packs/collect-packs.ts";

const intervalMs = 60 * 60_000;

/** Keeps the repositories of a running server in few packs. Disposing ends it. */
export function maintainRepositories(forge: Forge): MaintainRepositories {
  const { config, git, packDirectory, temporaryDirectory, views, log } = forge;
  const maintenance = new MaintainRepositories({ db: forge.database.db, config, git, packDirectory, temporaryDirectory }, log);
  views.onSeveralPacks = (repositoryId) => maintenance.notice(repositoryId);
  return maintenance;
}

/**
 * Removes files of packs and blobs that nobody refers to, now and every hour, in the background, and has repositories of
 * many packs looked at. Disposing ends it.
 */
export function collectRegularly(forge: Forge, maintenance: MaintainRepositories): Disposable {
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
    await maintenance.sweep().catch((error: unknown) => forge.log.warn(describeError(error), "Repositories of many packs could not be looked for"));
    await collect("packs", () => collectPacks(db, forge.packDirectory));
    await collect("blobs", () => collectBlobs(db, forge.blobs));
  };
  void collectAll();
  const timer = setInterval(collectAll, intervalMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
