import { readdirSync, readFileSync } from "node:fs";

/**
 * Kills the processes whose temporary folder is this one: what tests have left of servers and other programs. A database
 * server does not outlive the one that started it (`src/postgres/guarded-process.ts`), and so is not looked for. Does
 * nothing where the system shows no environments (macOS).
 */
export function endLeftProcesses(temporary: string): void {
  for (const pid of pidsOf(`TMPDIR=${temporary}`)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It ended by itself.
    }
  }
}

function pidsOf(variable: string): number[] {
  try {
    return readdirSync("/proc")
      .map(Number)
      .filter((pid) => pid > 0 && pid !== process.pid && environmentOf(pid).includes(variable));
  } catch {
    return [];
  }
}

function environmentOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    // It has ended, or is another user's.
    return [];
  }
}
