import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openApp, type App } from "../app.ts";
import type { Config } from "../config/config.ts";
import { serverDoer } from "../domain/spine/doer.ts";
import { createFirstAdministrator } from "../domain/identity/users/create-first-administrator.ts";
import { findUserByName } from "../domain/identity/users/queries.ts";
import { removeLeftovers } from "../ephemeral/remove-leftovers.ts";
import { startJobs } from "../jobs/start-jobs.ts";
import { commandText } from "../lib/command-text.ts";
import { isEveryAddress } from "../lib/every-address.ts";
import { createLogger, type Logger } from "../lib/log.ts";
import { sayAwaited } from "../lib/say-awaited.ts";
import { version } from "../lib/version.ts";
import type { RunningServer } from "../server.ts";
import { exitCodes, type ExitCode } from "./exit-codes.ts";
import { checkPorts, listen } from "./listen.ts";
import { printNote, printResult } from "./output.ts";
import { StopSignal } from "./stop-signal.ts";

/** A file in the data directory, for servers that are started without a terminal. */
const passwordFileName = "first-password";

/** Runs the server of a data directory until a signal comes. */
export async function runServer(config: Config): Promise<ExitCode> {
  const running: { server: RunningServer | null } = { server: null };
  const log = createLogger(config.log);
  const stop = new StopSignal(() => {
    log.info({ signal: "SIGHUP" }, "Reading the certificate again; other settings need a restart");
    void running.server?.renewCertificate();
  });
  log.info({ version, data: config.dataDirectory, configuration: config.file }, "Starting");
  warnOfConfiguration(config, log);
  await checkPorts(config);
  await using app = await openApp(config, log, { durable: true });
  const unready = app.forge.readiness.await("the first administrator");
  await using server = await listen(app);
  running.server = server;
  const password = await sayAwaited(log, "the first administrator", prepareAdministrator(app, log));
  await using _jobs = await sayAwaited(log, "the job queue", startJobs(app.forge, { regular: true }));
  unready[Symbol.dispose]();
  const { base } = app.forge.addresses;
  log.info({ url: server.url, ssh: server.ssh, ...(base === server.url ? {} : { base_url: base }) }, "Listening");
  void app.forge.files.room.keepReserve();
  void removeLeftovers(config.cacheDirectory, log);
  if (process.stdout.isTTY) {
    printResult(readyText(config, server, base));
  }
  if (password !== null) {
    printNote(password);
  }
  const signal = await Promise.race([stop.received, ...(app.replaced === null ? [] : [app.replaced])]);
  log.info({ signal }, "Stopping: running requests may finish");
  return exitCodes.done;
}

function warnOfConfiguration(config: Config, log: Logger): void {
  const { ignoredVariables, server } = config;
  const ignored = ignoredVariables.filter(({ meant }) => meant.length === 0).map(({ name }) => name);
  if (ignored.length > 0) {
    log.info({ variables: ignored }, "Ignored variables of the environment that are no settings");
  }
  for (const { name, meant } of ignoredVariables.filter((one) => one.meant.length > 0)) {
    log.warn({ variable: name }, `Ignored ${name}, which is no setting; did you mean ${meant.join(" or ")}?`);
  }
  if (server.base_url === "" && isEveryAddress(server.host)) {
    log.warn(
      { host: server.host },
      "server.base_url is not set: links in mails and the issuer of OAuth name 127.0.0.1; set it with --base-url or in the configuration",
    );
  }
}

function readyText({ server: { host, port } }: Config, server: RunningServer, base: string): string {
  const listens = isEveryAddress(host)
    ? `port ${port || new URL(server.url).port} of every address of this machine`
    : server.url;
  const where =
    base !== server.url ? `${base}, listening on ${listens}` : isEveryAddress(host) ? `${base} and ${listens}` : base;
  return `Stithy ${version} is ready at ${where}${server.ssh === null ? "" : `; SSH: ${server.ssh}`}`;
}

/**
 * Creates the first administrator where there is no user. Returns what to tell a terminal at the end of the start; null if
 * there is nothing to tell. Without a terminal a generated password goes into a file that only the server's user can read:
 * logs are kept and read by others.
 */
async function prepareAdministrator({ forge }: App, log: Logger): Promise<string | null> {
  const { config } = forge;
  const admin = await forge.change(serverDoer("first administrator"), (work) =>
    createFirstAdministrator(work, config.firstAdmin, config.auth.password_min_length),
  );
  if (admin === null) {
    await tellOfUnusedName(forge, log);
    return null;
  }
  const { username, generatedPassword } = admin;
  if (generatedPassword === null) {
    log.info({ username }, "Created the first administrator");
    return null;
  }
  if (process.stderr.isTTY && config.log.format !== "json") {
    log.info({ username }, "Created the first administrator");
    return `
The first administrator, shown only now:

    user name  ${username}
    password   ${generatedPassword}

"${commandText(`admin reset-password ${username}`)}" sets another one.
`;
  }
  const file = join(config.dataDirectory, passwordFileName);
  await writeFile(file, `${generatedPassword}\n`, { mode: 0o600, flush: true });
  log.info({ username, file }, "Created the first administrator; the file has the password: read it and remove it");
  return null;
}

/** STITHY_ADMIN_USER counts on a server without users only. */
async function tellOfUnusedName({ config, database }: App["forge"], log: Logger): Promise<void> {
  const { firstAdmin } = config;
  if (firstAdmin === null) {
    return;
  }
  const { username } = firstAdmin;
  if ((await findUserByName(database.db, username)) === null) {
    log.warn(
      { username },
      `STITHY_ADMIN_USER is not used, because this server has users already: "${commandText(`admin create-user ${username} --admin`)}" makes this one`,
    );
  } else {
    log.info({ username }, "STITHY_ADMIN_USER and its password are not used: this server has users already");
  }
}
