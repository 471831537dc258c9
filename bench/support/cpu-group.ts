import { mkdirSync, readFileSync, rmdirSync } from "node:fs";
import { join } from "node:path";

/** A control group of Linux that counts the processor time of all processes started in it, those that have ended included. */
export interface CpuGroup extends AsyncDisposable {
  /** the kernel's name of the clock, for people */
  clock: string;
  /** the command that starts `command` in the group; the process keeps its id */
  start(command: readonly string[]): string[];
  /** milliseconds, exact to the microsecond or better */
  used(): number;
}

interface Counter {
  clock: string;
  /** the group that this process is in */
  parent: string;
  file: string;
  milliseconds(text: string): number;
}

/** A new group with this name below that of this process; null where none can be made, as without the right to it. */
export function openCpuGroup(name: string): CpuGroup | null {
  for (const { clock, parent, file, milliseconds } of counters()) {
    const path = join(parent, `stithy-bench-${process.pid}-${name}`);
    // A process that is in the group from its first instruction on leaves no child outside.
    const start = (command: readonly string[]): string[] => [
      "/bin/sh",
      "-c",
      'echo $$ > "$0" && exec "$@"',
      join(path, "cgroup.procs"),
      ...command,
    ];
    try {
      mkdirSync(path);
      if (Bun.spawnSync(start(["true"])).success)
        return {
          clock,
          start,
          used: () => milliseconds(readFileSync(join(path, file), "utf8")),
          [Symbol.asyncDispose]: () => remove(path),
        };
      rmdirSync(path);
    } catch {
      // The next kind may be open to this user.
    }
  }
  return null;
}

/** What the kernel offers: the first version counts in nanoseconds, the second in microseconds. */
function counters(): Counter[] {
  const found: Counter[] = [];
  const mounts = readFileSync("/proc/self/mounts", "utf8")
    .split("\n")
    .map((line) => line.split(" "));
  const groups = readFileSync("/proc/self/cgroup", "utf8")
    .split("\n")
    .map((line) => /^\d+:([^:]*):(.*)$/.exec(line) ?? []);
  for (const [, directory = "", type, options = ""] of mounts) {
    if (type === "cgroup" && options.split(",").includes("cpuacct")) {
      const own = groups.find(([, controllers]) => controllers?.split(",").includes("cpuacct"))?.[2];
      found.unshift({
        clock: "cpuacct.usage",
        parent: join(directory, own ?? ""),
        file: "cpuacct.usage",
        milliseconds: (text) => Number(text) / 1e6,
      });
    } else if (type === "cgroup2") {
      const own = groups.find(([, controllers]) => controllers === "")?.[2];
      found.push({
        clock: "cpu.stat",
        parent: join(directory, own ?? ""),
        file: "cpu.stat",
        milliseconds: (text) => Number(/^usage_usec (\d+)$/m.exec(text)?.[1]) / 1e3,
      });
    }
  }
  return found;
}

async function remove(path: string): Promise<void> {
  // What was started in it may still be on its way out.
  for (let tries = 0; tries < 50; tries++) {
    try {
      rmdirSync(path);
      return;
    } catch {
      await Bun.sleep(100);
    }
  }
}
