import { describeError } from "../db/pg-errors.ts";
import type { Forge } from "../domain/forge.ts";
import { collectPacks } from "../domain/packs/collect-packs.ts";

const intervalMs = 60 * 60_000;

/** Removes pack files that nobody refers to, now and every hour, in the background. Disposing ends it. */
export function collectRegularly(forge: Forge): Disposable {
  const collect = async () => {
    try {
      const removed = await collectPacks(forge.database.db, forge.packDirectory);
      if (removed > 0) {
        forge.log.info({ removed }, "Removed packs that nothing refers to");
      }
    } catch (error) {
      forge.log.warn(describeError(error), "Packs that nothing refers to could not be collected");
    }
  };
  void collect();
  const timer = setInterval(collect, intervalMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
