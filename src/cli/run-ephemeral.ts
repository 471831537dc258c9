import type { Config } from "../config/config.ts";
import { openEphemeralApp } from "../ephemeral/ephemeral-app.ts";
import { createLogger } from "../lib/log.ts";
import { applySeed } from "../seed/apply-seed.ts";
import { checkSeed } from "../seed/check-seed.ts";
import { readSeed } from "../seed/read-seed.ts";
import { defaultSeed } from "../seed/seed.ts";
import { exitCodes, type ExitCode } from "./exit-codes.ts";
import { CommandFailure } from "./failure.ts";
import { listen } from "./listen.ts";
import { printJson } from "./output.ts";
import { StopSignal } from "./stop-signal.ts";

/** Runs a server that keeps nothing until a signal comes; says with one line on standard output that it is ready. */
export async function runEphemeral(config: Config, seedArgument: string | null): Promise<ExitCode> {
  const stop = new StopSignal();
  const log = createLogger(config.log);
  const { seed, directory } = seedArgument === null ? { seed: defaultSeed, directory: "" } : await readSeed(seedArgument);
  checkSeed(seed, config.auth.password_min_length);
  await using app = await openEphemeralApp(config, log);
  const { forge } = app;
  const users = await applySeed(forge, seed, directory);
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
