import type { App } from "../app.ts";
import { startServer, type RunningServer } from "../server.ts";
import { StithyError } from "../lib/errors.ts";
import { exitCodes } from "./exit-codes.ts";
import { CommandFailure } from "./command-failure.ts";

/** Starts to listen. Throws CommandFailure when the address is taken or not to be had. */
export async function listen({ forge, hostKeys }: App): Promise<RunningServer> {
  const { host, port } = forge.config.server;
  try {
    return await startServer(forge, hostKeys);
  } catch (error) {
    if (error instanceof StithyError) {
      throw error;
    }
    switch ((error as { code?: unknown }).code) {
      case "EADDRINUSE":
        throw new CommandFailure(
          `The port ${port} of ${host} is in use: stop what listens there, or choose another with --port`,
          exitCodes.inUse,
        );
      case "EACCES":
        throw new CommandFailure(
          `The port ${port} of ${host} is only for processes with more rights: choose one above 1023 with --port`,
        );
      case "EADDRNOTAVAIL":
      case "ENOTFOUND":
        throw new CommandFailure(`This machine has no address "${host}" to listen on`);
      default:
        throw error;
    }
  }
}
