import { existsSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Where Linux keeps files in memory. */
const memory = "/dev/shm";

/** In a container it may be as small as 64 MiB; a cluster takes some 100 MiB. */
const neededBytes = 2 * 1024 ** 3;

/**
 * The beginning of a path for many small files that are soon removed: in memory where there is room, else in the system's temporary
 * folder. A database has 1,100 files, and ext4 without a journal looks at each file that was removed in the last minutes
 * before it makes one: a database took up to 0.8 s of CPU there.
 */
export function quickDirectory(prefix: string): string {
  if (!existsSync(memory) || statfsSync(memory).bavail * statfsSync(memory).bsize < neededBytes) {
    return join(tmpdir(), prefix);
  }
  removeLeftovers(prefix);
  return join(memory, `${prefix}${process.pid}-`);
}

/** What a process that was killed has left in memory would stay there until the machine is started again. */
function removeLeftovers(prefix: string): void {
  for (const name of readdirSync(memory)) {
    const pid = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : Number.NaN;
    if (pid > 0 && !existsSync(`/proc/${pid}`)) {
      rmSync(join(memory, name), { recursive: true, force: true });
    }
  }
}
