import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { quickFolder } from "../../src/lib/quick-folder.ts";

/** The beginning of a path for many small files that are soon removed. */
export function quickDirectory(prefix: string, temporary = tmpdir()): string {
  const folder = quickFolder(temporary);
  if (folder === temporary) {
    return join(folder, prefix);
  }
  removeLeftovers(folder, prefix);
  return join(folder, `${prefix}${process.pid}-`);
}

/**
 * Makes a folder for whatever tests put into the temporary folder, programs included: containers are often given a
 * `/dev/shm` that runs none (noexec).
 */
export function makeQuickTemporary(prefix: string): string {
  const directory = mkdtempSync(quickDirectory(prefix));
  if (mayRunPrograms(directory)) {
    return directory;
  }
  rmSync(directory, { recursive: true });
  return mkdtempSync(join(tmpdir(), prefix));
}

/** Whether a program that lies there can be started. */
export function mayRunPrograms(directory: string): boolean {
  const program = join(directory, "program");
  writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
  try {
    return Bun.spawnSync([program]).success;
  } catch {
    return false;
  } finally {
    rmSync(program);
  }
}

/** What a process that was killed has left in memory would stay there until the machine is started again. */
function removeLeftovers(folder: string, prefix: string): void {
  for (const name of readdirSync(folder)) {
    const pid = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : Number.NaN;
    if (pid > 0 && !existsSync(`/proc/${pid}`)) {
      try {
        rmSync(join(folder, name), { recursive: true, force: true });
      } catch {
        // It is another user's.
      }
    }
  }
}
