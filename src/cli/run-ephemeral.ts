import { cacheDirectoryOf } from "../config/cache-directory.ts";
import type { Config, Overrides } from "../config/config.ts";
import { readEnvironment } from "../config/env.ts";
import { EphemeralData } from "../ephemeral/ephemeral-data.ts";
import type { Logger } from "../lib/log.ts";
import { sayAwaited } from "../lib/say-awaited.ts";
import type { Seed } from "../domain/exchange/seeding/seed.ts";
import { CommandFailure } from "./command-failure.ts";
import { exitCodes, type ExitCode } from "./exit-codes.ts";
import type { DataOptions } from "./options.ts";
import { printJson } from "./output.ts";
import { StopSignal } from "./stop-signal.ts";

/** A check of a start on a busy machine may take so long: it is not the health check that has to respond soon. */
const startPatienceMs = 10 * 60_000;

/**
 * Runs a server that keeps nothing until a signal comes; says with one line on standard output that it is ready.
 * Test suites wait for that line, so whatever can be done at the same time is: the database's files are copied while
 * the configuration and the seed are read, and it starts while the rest of the program is loaded.
 */
export async function runEphemeral(
  options: DataOptions,
  overrides: Overrides,
  seedArgument: string | null,
  { exitWithParent }: { exitWithParent: boolean },
): Promise<ExitCode> {
  const stop = new StopSignal();
  if (exitWithParent) {
    stop.followParent();
  }
  const logging = Promise.withResolvers<Logger>();
  // Handles the rejection now, as nobody may await the promise yet.
  logging.promise.catch(() => {});
  await using data = EphemeralData.begin(cacheDirectoryOf(readEnvironment()), logging.promise);
  const { config, log, seed, directory } = await readWhatIsAsked(options, overrides, seedArgument).catch(
    (error: unknown) => {
      logging.reject(error);
      throw error;
    },
  );
  logging.resolve(log);
  const preparing = loadAndPrepare(seed, directory);
  preparing.catch(() => {});
  const { openApp } = await import("../app.ts");
  const database = data.connection().then((connection) => ({ ...connection, tls: "off" as const }));
  // It may fail before the rest is far enough to wait for it.
  database.catch(() => {});
  // A DATABASE_URL that happens to be set belongs to somebody else.
  const ephemeral: Config = {
    ...config,
    dataDirectory: data.directory,
    firstAdmin: null,
    database: { ...config.database, url: "" },
  };
  await using app = await openApp(ephemeral, log, { durable: false, database });
  const { forge } = app;
  const { prepared, applySeed, listen, removeLeftovers, checkHealth } = await preparing;
  const users = await sayAwaited(log, "the seed", applySeed(forge, prepared));
  await using server = await listen(app);
  const checking = sayAwaited(log, "the health check", checkHealth(forge, startPatienceMs));
  const health = await Promise.race([checking, stop.received]);
  if (typeof health === "object" && health.status === "fail") {
    throw new CommandFailure(`The server is not well: ${JSON.stringify(health)}`);
  }
  if (!stop.signal.aborted) {
    printJson({ ready: true, url: server.url, ssh: server.ssh, pid: process.pid, data: data.directory, users });
  }
  // Nobody waits for it to be ready: jobs that are asked for before it is wait in the database.
  const { startJobs } = await import("../jobs/start-jobs.ts");
  await using _jobs = await startJobs(forge, { regular: false });
  void removeLeftovers(config.cacheDirectory, log);
  const signal = await stop.received;
  log.info({ signal }, "Stopping: running requests may finish");
  return exitCodes.done;
}

interface Asked {
  config: Config;
  log: Logger;
  seed: Seed;
  directory: string;
}

async function readWhatIsAsked(
  options: DataOptions,
  overrides: Overrides,
  seedArgument: string | null,
): Promise<Asked> {
  const [{ configOf }, { createLogger }, { checkSeed }, { readSeed }, { defaultSeed }] = await Promise.all([
    import("./command-config.ts"),
    import("../lib/log.ts"),
    import("../domain/exchange/seeding/check-seed.ts"),
    import("../domain/exchange/seeding/read-seed.ts"),
    import("../domain/exchange/seeding/seed.ts"),
  ]);
  const config = configOf(options, overrides);
  const { seed, directory } =
    seedArgument === null ? { seed: defaultSeed, directory: "" } : await readSeed(seedArgument);
  checkSeed(seed, config.auth.password_min_length);
  return { config, log: createLogger(config.log), seed, directory };
}

/** Loads the modules that are needed once the database runs. */
async function loadAndPrepare(seed: Seed, directory: string) {
  const { prepareSeed, applySeed } = await import("../domain/exchange/seeding/apply-seed.ts");
  const preparing = prepareSeed(seed, directory);
  const [prepared, { listen }, { removeLeftovers }, { checkHealth }] = await Promise.all([
    preparing,
    import("./listen.ts"),
    import("../ephemeral/remove-leftovers.ts"),
    import("../domain/server/health.ts"),
  ]);
  return { prepared, applySeed, listen, removeLeftovers, checkHealth };
}
