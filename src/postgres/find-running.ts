import { FileLock } from "../lib/file-lock.ts";
import type { Connection } from "./postmaster.ts";
import { prepareLayout } from "./layout.ts";
import { findPostmasterFile } from "./postmaster-file.ts";
import { port, role } from "./settings.ts";

const pollMilliseconds = 20;

/**
 * How to reach the server that another process runs on a directory: its socket's directory stands in the cluster's
 * `postmaster.pid`. Waits until that server is ready, as long as the other process has the directory; null when it has
 * left it.
 */
export async function findRunning(directory: string): Promise<Connection | null> {
  const layout = prepareLayout(directory);
  for (;;) {
    const file = await findPostmasterFile(layout.cluster);
    // The fifth line.
    const host = file?.text.split("\n")[4];
    if (file?.ready === true && host !== undefined && host !== "") {
      return { host, port, user: role, database: role };
    }
    if (isFree(layout.lock)) {
      return null;
    }
    await Bun.sleep(pollMilliseconds);
  }
}

function isFree(path: string): boolean {
  using lock = FileLock.tryAcquire(path);
  return lock !== null;
}
