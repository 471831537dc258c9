import { join } from "node:path";
import { PostgresFailed } from "./errors.ts";
import type { Connection } from "./postmaster.ts";
import { findPostmasterFile } from "./postmaster-file.ts";
import { port, role } from "./settings.ts";

/** The server that has the directory may have been started a moment ago, or be restarting. */
const patienceMilliseconds = 15_000;

/**
 * How to reach the server that another process runs on a directory: its socket's directory stands in the cluster's
 * `postmaster.pid`.
 * @throws PostgresFailed when it is not ready within 15 seconds
 */
export async function waitForRunning(directory: string): Promise<Connection> {
  const deadline = Date.now() + patienceMilliseconds;
  for (;;) {
    const file = await findPostmasterFile(join(directory, "cluster"));
    // The fifth line.
    const host = file?.text.split("\n")[4];
    if (file?.ready === true && host !== undefined && host !== "") {
      return { host, port, user: role, database: role };
    }
    if (Date.now() > deadline) {
      throw new PostgresFailed(
        `The server that uses ${directory} did not become ready within ${patienceMilliseconds / 1000} seconds`,
        [],
      );
    }
    await Bun.sleep(20);
  }
}
