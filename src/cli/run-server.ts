import { openApp } from "../app.ts";
import type { Config } from "../config/config.ts";
import { createFirstAdministrator } from "../domain/users/create-first-administrator.ts";
import { removeLeftovers } from "../ephemeral/remove-leftovers.ts";
import { startJobs } from "../jobs/start-jobs.ts";
import { createLogger } from "../lib/log.ts";
import { version } from "../lib/version.ts";
import { exitCodes, type ExitCode } from "./exit-codes.ts";
import { listen } from "./listen.ts";
import { printNote, printResult } from "./output.ts";
import { StopSignal } from "./stop-signal.ts";
import { serverDoer } from "../domain/doer.ts";

/** Runs the server of a data directory until a signal comes. */
export async function runServer(config: Config): Promise<ExitCode> {
  const stop = new StopSignal();
  const log = createLogger(config.log);
  log.info({ version, data: config.dataDirectory, configuration: config.file }, "Starting");
  await using app = await openApp(config, log, { durable: true });
  const admin = await app.forge.change(serverDoer("first administrator"), (work) =>
    createFirstAdministrator(work, config.firstAdmin, config.auth.password_min_length),
  );
  if (admin !== null) {
    log.info({ username: admin.username }, "Created the first administrator");
    if (admin.generatedPassword !== null) {
      printNote(firstPassword(admin.username, admin.generatedPassword));
    }
  }
  await using server = await listen(app);
  await using _jobs = await startJobs(app.forge, { regular: true });
  log.info({ url: server.url, ssh: server.ssh }, "Listening");
  void app.forge.files.room.keepReserve();
  void removeLeftovers(config.cacheDirectory, log);
  if (process.stdout.isTTY) {
    printResult(`Stithy ${version} is ready at ${server.url}${server.ssh === null ? "" : ` and ${server.ssh}`}`);
  }
  const signal = await Promise.race([stop.received, ...(app.replaced === null ? [] : [app.replaced])]);
  log.info({ signal }, "Stopping: running requests may finish");
  return exitCodes.done;
}

function firstPassword(username: string, password: string): string {
  return `
The first administrator, shown only now:

    user name  ${username}
    password   ${password}

"stithy admin reset-password ${username}" sets another one.
`;
}
