import type { Forge } from "../../spine/forge.ts";
import { RemoteFailed } from "../remotes/errors.ts";
import { findMigration } from "./queries.ts";

const lookMs = 100;

/**
 * Waits a while for a migration, so that a small repository is whole when its maker hears of it. Returns whether it has ended; one that takes
 * longer goes on. Throws RemoteFailed, with why, where it failed.
 */
export async function awaitMigration(
  { database }: Pick<Forge, "database">,
  id: number,
  limitMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const end = performance.now() + limitMs;
  while (!signal.aborted && performance.now() < end) {
    const migration = await findMigration(database.db, id);
    switch (migration?.state) {
      case "done":
        return true;
      case "failed":
        throw new RemoteFailed("refused", migration.error);
      case "cancelled":
      case undefined:
        throw new RemoteFailed("refused", "The migration was cancelled");
      default:
        await Bun.sleep(lookMs);
    }
  }
  return false;
}
