import { Option, type Command } from "commander";
import { exitCodes, type ExitCode } from "./exit-codes.ts";
import { CommandFailure } from "./command-failure.ts";
import { dataCommand, parsePort, type DataOptions } from "./options.ts";
import { trimEndOf } from "../lib/trim-text.ts";

interface Options extends DataOptions {
  host?: string;
  port?: number;
  baseUrl?: string;
  sshPort?: number;
  ephemeral?: boolean;
  seed?: string;
  exitWithParent?: boolean;
}

export function serveCommand(end: (code: ExitCode) => void): Command {
  return dataCommand(
    "serve",
    "Run the server until SIGTERM or SIGINT. Running requests may finish. A second signal, two seconds later or more, ends them",
    [
      "stithy serve",
      "stithy serve --data /srv/stithy --host 0.0.0.0 --base-url http://forge.lan:3000",
      "stithy serve --ephemeral --port 0",
      `stithy serve --ephemeral --port 0 --seed '{"users":[{"username":"root","admin":true,"tokens":[{"name":"t","scopes":["all"]}]}]}'`,
    ],
  )
    .option("--host <address>", "address to listen on (127.0.0.1); 0.0.0.0 listens on every address of this machine")
    .option("--base-url <url>", "public address of the server, such as https://forge.example.org")
    .addOption(new Option("--port <number>", "TCP port; 0 takes a free one (3000)").argParser(parsePort))
    .addOption(
      new Option(
        "--ssh-port <number>",
        "TCP port of SSH; 0 takes a free one (2222; a free one with --port 0 or --ephemeral)",
      ).argParser(parsePort),
    )
    .option(
      "--ephemeral",
      "keep everything in a temporary directory and remove it at the end. When ready, print one line of JSON with the address, passwords and tokens",
    )
    .option("--exit-with-parent", "end an ephemeral server when the process that started it has ended, in whatever way")
    .option("--seed <json or file>", "the initial content of an ephemeral server: users, organizations, repositories")
    .addHelpText(
      "after",
      "\nThe first administrator of a new server comes from STITHY_ADMIN_USER and STITHY_ADMIN_PASSWORD\n(or STITHY_ADMIN_PASSWORD_FILE); without them it is root, with a password that is shown once.",
    )
    .action(async (options: Options) => end(await serve(options)));
}

async function serve(options: Options): Promise<ExitCode> {
  if (options.seed !== undefined && options.ephemeral !== true) {
    throw new CommandFailure("--seed is only for --ephemeral", exitCodes.wrong);
  }
  if (options.exitWithParent === true && options.ephemeral !== true) {
    throw new CommandFailure("--exit-with-parent is only for --ephemeral", exitCodes.wrong);
  }
  if (options.data !== undefined && options.ephemeral === true) {
    throw new CommandFailure(
      "--data and --ephemeral exclude each other: an ephemeral server has a directory of its own",
      exitCodes.wrong,
    );
  }
  const overrides = {
    ...(options.host === undefined ? {} : { host: options.host }),
    ...(options.port === undefined ? {} : { port: options.port }),
    ...(options.baseUrl === undefined ? {} : { baseUrl: trimEndOf(options.baseUrl, "/") }),
    ...(options.sshPort === undefined ? {} : { sshPort: options.sshPort }),
  };
  if (options.ephemeral === true) {
    const { runEphemeral } = await import("./run-ephemeral.ts");
    const exitWithParent = options.exitWithParent === true;
    return runEphemeral(options, { ...overrides, ephemeral: true }, options.seed ?? null, { exitWithParent });
  }
  const { configOf } = await import("./command-config.ts");
  const config = configOf(options, overrides);
  const { runServer } = await import("./run-server.ts");
  return runServer(config);
}
