import { cpus, release, totalmem } from "node:os";
import { projectDirectory } from "./environment.ts";
import { git, run } from "./run.ts";

/** What a result is worth nothing without: where, when and with what it was measured. */
export interface Machine {
  date: string;
  processor: string;
  cores: number;
  memoryGiB: number;
  kernel: string;
  bun: string;
  git: string;
  commit: string;
}

export async function describeMachine(): Promise<Machine> {
  const processors = cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    processor: processors[0]?.model.trim() ?? "unknown",
    cores: processors.length,
    memoryGiB: Math.round(totalmem() / 1024 ** 3),
    kernel: release(),
    bun: Bun.version,
    git: (await run(["git", "--version"])).stdout.trim().replace("git version ", ""),
    commit: await git(projectDirectory, "rev-parse", "--short", "HEAD").catch(() => "unknown"),
  };
}

export function machineLine(machine: Machine): string {
  return `${machine.date}, ${machine.cores} × ${machine.processor}, ${machine.memoryGiB} GiB, Linux ${machine.kernel}, Bun ${machine.bun}, git ${machine.git}, commit ${machine.commit}`;
}
