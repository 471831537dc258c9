import { existsSync } from "node:fs";
import type { Database, Transaction } from "../../db/client.ts";
import { discardPack, type StagedPack } from "../../git/workers/pack-destination.ts";
import { whileUnnamed } from "./queries.ts";

/**
 * Runs a transaction in which linkPacks may name and publish these packs. Throws what the work throws: what it had
 * published by then, and no row names, is removed at once.
 */
export async function namePacks<Result>(db: Database, packs: readonly StagedPack[], work: (tx: Transaction) => Promise<Result>): Promise<Result> {
  try {
    return await db.transaction(work);
  } catch (error) {
    // Publishing takes the files from where they were staged.
    for (const pack of packs.filter(({ path }) => !existsSync(path))) {
      // Where this fails, too, as when the database is gone, the files are left to the collector.
      await whileUnnamed(db, pack.checksum, () => discardPack(pack.finalPath)).catch(() => {});
    }
    throw error;
  }
}
