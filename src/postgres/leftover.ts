import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import type { Logger } from "../lib/log.ts";
import { PostgresFailed } from "./errors.ts";
import { findPostmasterFile, postmasterFilePath } from "./postmaster-file.ts";

/** Fast shutdown, then without one, then the system's way; each with the milliseconds that it gets. */
const steps: readonly (readonly [NodeJS.Signals, number])[] = [
  ["SIGINT", 15_000],
  ["SIGQUIT", 5_000],
  ["SIGKILL", 60_000],
];

/**
 * Stops a database server that outlived the process that had started it. The caller holds the directory's lock, so
 * nobody uses that server any more.
 *
 * A stale `postmaster.pid` whose number belongs to another process by now (usual in containers, where numbers are
 * small) would keep PostgreSQL from starting. The file is not removed, as it also names the shared memory by which
 * PostgreSQL notices sessions that still run; it gets this process's number, which PostgreSQL passes over as that of
 * its parent.
 * @throws PostgresFailed when the server cannot be stopped
 */
export async function stopLeftover(cluster: string, log: Logger): Promise<void> {
  const file = await findPostmasterFile(cluster);
  if (file === null || !isAlive(file.pid)) {
    return;
  }
  if (!isServerOf(file.pid, cluster)) {
    await writeFile(postmasterFilePath(cluster), file.text.replace(/^\d+/, String(process.pid)));
    return;
  }
  log.warn({ pid: file.pid }, "Stopping the database server that an earlier run left behind");
  for (const [signal, milliseconds] of steps) {
    try {
      process.kill(file.pid, signal);
    } catch {
      // It ended in between, or is another user's: the wait tells.
    }
    const deadline = Date.now() + milliseconds;
    while (Date.now() < deadline) {
      if (!isAlive(file.pid) || !isServerOf(file.pid, cluster)) {
        return;
      }
      await Bun.sleep(10);
    }
  }
  throw new PostgresFailed(
    `The database server with process number ${file.pid} still runs on ${cluster} and cannot be stopped`,
    [],
  );
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** A server's working directory is its cluster; one that has ended and waits for its parent has none any more. */
function isServerOf(pid: number, cluster: string): boolean {
  if (process.platform !== "linux") {
    return spawnSync("ps", ["-ww", "-o", "command=", "-p", String(pid)], { encoding: "utf8" }).stdout.includes(cluster);
  }
  const own = statSync(cluster);
  try {
    const its = statSync(`/proc/${pid}/cwd`);
    return its.dev === own.dev && its.ino === own.ino;
  } catch {
    return false;
  }
}
