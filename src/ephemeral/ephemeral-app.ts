import { join } from "node:path";
import type { App } from "../app.ts";
import type { Config } from "../config/config.ts";
import { messageOf } from "../lib/errors.ts";
import type { Logger } from "../lib/log.ts";
import { prepareClusterTemplate } from "./cluster-template.ts";
import { TemporaryHome, removeAbandonedHomes } from "./temporary-home.ts";

/** An app of which nothing stays: it begins empty, in a directory of its own that goes when it is disposed of. */
export async function openEphemeralApp(config: Config, log: Logger): Promise<App> {
  const stack = new AsyncDisposableStack();
  try {
    const home = stack.use(await TemporaryHome.create());
    // The rest of the program loads while the database's files are copied.
    const [{ openApp }] = await Promise.all([import("../app.ts"), copyCluster(home, config, log)]);
    const app = stack.use(await openApp(ephemeralConfig(config, home.path), log, { durable: false }));
    // What killed runs left is not in anybody's way, so nobody waits for this.
    void removeLeftovers(log);
    const owned = stack.move();
    return { forge: app.forge, migrated: app.migrated, [Symbol.asyncDispose]: () => owned.disposeAsync() };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

async function copyCluster(home: TemporaryHome, config: Config, log: Logger): Promise<void> {
  const template = await prepareClusterTemplate(config.cacheDirectory, log);
  await template.copyTo(join(home.path, "postgres"));
}

async function removeLeftovers(log: Logger): Promise<void> {
  try {
    const removed = await removeAbandonedHomes();
    if (removed > 0) {
      log.info({ removed }, "Removed what killed ephemeral servers had left");
    }
  } catch (error) {
    log.warn({ reason: messageOf(error) }, "What killed ephemeral servers left could not be looked for");
  }
}

/** No database but its own: a DATABASE_URL that happens to be set belongs to somebody else. */
function ephemeralConfig(config: Config, dataDirectory: string): Config {
  return { ...config, dataDirectory, firstAdmin: null, database: { ...config.database, url: "" } };
}
