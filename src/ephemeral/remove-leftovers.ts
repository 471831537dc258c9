import { messageOf } from "../lib/errors.ts";
import type { Logger } from "../lib/log.ts";
import { removeAbandonedHomes } from "../lib/temporary-home.ts";
import { removeUnusedDirectories } from "../postgres/cached-directory.ts";
import { findOpenCache } from "../postgres/trusted-directory.ts";

/** Removes what killed ephemeral servers and older versions left behind. It is in nobody's way, so nobody waits for this. */
export async function removeLeftovers(cacheDirectory: string, log: Logger): Promise<void> {
  try {
    const homes = await removeAbandonedHomes();
    const openCache = findOpenCache();
    const cached =
      (await removeUnusedDirectories(cacheDirectory)) +
      (openCache === null ? 0 : await removeUnusedDirectories(openCache));
    if (homes + cached > 0) {
      log.info({ homes, cached }, "Removed what killed ephemeral servers and older versions had left");
    }
  } catch (error) {
    log.warn(
      { reason: messageOf(error) },
      "What killed ephemeral servers and older versions left could not be looked for",
    );
  }
}
