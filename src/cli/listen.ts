import type { App } from "../app.ts";
import type { Config } from "../config/config.ts";
import { SshServer } from "../ssh/server.ts";
import { startServer, type RunningServer } from "../server.ts";
import { StithyError } from "../lib/errors.ts";
import { exitCodes } from "./exit-codes.ts";
import { CommandFailure } from "./command-failure.ts";

/** Starts to listen. Throws CommandFailure when the address is taken or not to be had. */
export async function listen({ forge, hostKeys }: App): Promise<RunningServer> {
  try {
    return await startServer(forge, hostKeys);
  } catch (error) {
    throw explainListening(forge.config, error);
  }
}

/**
 * Throws what `listen` would throw now, before anything is made for the server: a first start that fails for its port
 * leaves no database and no administrator behind.
 */
export async function checkPorts(config: Config): Promise<void> {
  try {
    await SshServer.checkPort(config);
    Bun.listen({ hostname: config.server.host, port: config.server.port, socket: { data() {} } }).stop(true);
  } catch (error) {
    throw explainListening(config, error);
  }
}

function explainListening({ server: { host, port } }: Config, error: unknown): unknown {
  if (error instanceof StithyError) {
    return error;
  }
  switch ((error as { code?: unknown }).code) {
    case "EADDRINUSE":
      return new CommandFailure(
        `The port ${port} of ${host} is in use: stop what listens there, or choose another with --port`,
        exitCodes.inUse,
      );
    case "EACCES":
      return new CommandFailure(
        `The port ${port} of ${host} is only for processes with more rights: choose one above 1023 with --port`,
      );
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return new CommandFailure(`This machine has no address "${host}" to listen on`);
    default:
      return error;
  }
}
