import { existsSync, readdirSync, rmSync } from "node:fs";
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

/** What a process that was killed has left in memory would stay there until the machine is started again. */
function removeLeftovers(folder: string, prefix: string): void {
  for (const name of readdirSync(folder)) {
    const pid = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : Number.NaN;
    if (pid > 0 && !existsSync(`/proc/${pid}`)) {
      rmSync(join(folder, name), { recursive: true, force: true });
    }
  }
}
