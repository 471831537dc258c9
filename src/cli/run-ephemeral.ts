import type { Config } from "../config/config.ts";
import { openEphemeralApp } from "../ephemeral/ephemeral-app.ts";
import { createLogger } from "../lib/log.ts";
import { checkSeed } from "../seed/check-seed.ts";
import { readSeed } from "../seed/read-seed.ts";
import { defaultSeed, type Seed } from "../seed/seed.ts";
import { exitCodes, type ExitCode } from "./exit-codes.ts";
import { CommandFailure } from "./command-failure.ts";
import { printJson } from "./output.ts";
import { StopSignal } from "./stop-signal.ts";

/**
 * Runs a server that keeps nothing until a signal comes; says with one line on standard output that it is ready.
 * Test suites wait for that line, so whatever can be done at the same time is.
 */
export async function runEphemeral(config: Config, seedArgument: string | null): Promise<ExitCode> {
  const stop = new StopSignal();
  const log = createLogger(config.log);
  const { seed, directory } = seedArgument === null ? { seed: defaultSeed, directory: "" } : await readSeed(seedArgument);
  checkSeed(seed, config.auth.password_min_length);
  const opening = openEphemeralApp(config, log);
  const preparing = loadAndPrepare(seed, directory);
  // It may fail while nobody waits for it yet.
  preparing.catch(() => {});
  await using app = await opening;
  const { forge } = app;
  const { prepared, applySeed, listen } = await preparing;
  const users = await applySeed(forge, prepared);
  await using server = listen(forge);
  const health = await fetch(`${server.url}/api/healthz`, { tls: { rejectUnauthorized: false } });
  if (!health.ok) {
    throw new CommandFailure(`The server is not well: ${await health.text()}`);
  }
  if (!stop.signal.aborted) {
    printJson({ ready: true, url: server.url, ssh: null, pid: process.pid, data: forge.config.dataDirectory, users });
  }
  const signal = await stop.received;
  log.info({ signal }, "Stopping: running requests may finish");
  return exitCodes.done;
}

/** What is needed once the database runs. */
async function loadAndPrepare(seed: Seed, directory: string) {
  const { prepareSeed, applySeed } = await import("../seed/apply-seed.ts");
  const preparing = prepareSeed(seed, directory);
  const [prepared, { listen }] = await Promise.all([preparing, import("./listen.ts")]);
  return { prepared, applySeed, listen };
}
