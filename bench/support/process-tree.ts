import { readdirSync, readFileSync, writeFileSync } from "node:fs";

/** Processor time in milliseconds (user and system), in steps of the kernel's clock tick, usually 10 ms. */
export interface TreeCpu {
  /** of the root process itself, its threads included */
  self: number;
  /** of all its descendants, those that have ended and were waited for included */
  descendants: number;
}

/** Memory in bytes. Resident pages that are shared count fully in `rss` and by share in `pss`. */
export interface ProcessMemory {
  rss: number;
  pss: number;
}

interface ProcessStat {
  pid: number;
  parent: number;
  own: number;
  reaped: number;
}

/** The step in which the kernel reports it. */
export const tickMs = 1000 / Number(Bun.spawnSync(["getconf", "CLK_TCK"]).stdout.toString().trim() || "100");

/** What a process and everything that it started have used so far. Linux only: read from /proc. */
export function treeCpu(root: number): TreeCpu {
  const tree = processTree(root);
  let self = 0;
  let descendants = 0;
  for (const { pid, own, reaped } of tree) {
    if (pid === root) self += own;
    else descendants += own;
    descendants += reaped;
  }
  return { self, descendants };
}

export interface TreeMemory {
  /** of the root process alone */
  self: ProcessMemory;
  /** with all its descendants */
  tree: ProcessMemory;
}

export function treeMemory(root: number): TreeMemory {
  const tree: ProcessMemory = { rss: 0, pss: 0 };
  let self: ProcessMemory = { rss: 0, pss: 0 };
  for (const { pid } of processTree(root)) {
    const memory = processMemory(pid);
    if (!memory) continue;
    if (pid === root) self = memory;
    tree.rss += memory.rss;
    tree.pss += memory.pss;
  }
  return { self, tree };
}

/** The largest resident set that the process has had since its start, or since `resetPeakRss`, in bytes. */
export function peakRss(pid: number): number {
  return 1024 * Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
}

/** Makes `peakRss` count from now on. */
export function resetPeakRss(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}

/** For each measurement by `largestRssDuring` that is under way, the largest so far. */
const measurements: { rss: number }[] = [];

/** The largest resident set of the process while `work` ran, in bytes. Within `work` it may be used for a part of it. */
export async function largestRssDuring<T>(pid: number, work: () => Promise<T>): Promise<{ value: T; rss: number }> {
  const mine = { rss: 0 };
  const note = (): void => {
    const rss = peakRss(pid);
    for (const each of measurements) each.rss = Math.max(each.rss, rss);
    resetPeakRss(pid);
  };
  note();
  measurements.push(mine);
  try {
    const value = await work();
    note();
    return { value, rss: mine.rss };
  } finally {
    measurements.splice(measurements.indexOf(mine), 1);
  }
}

/** The resident set of the process alone, in bytes. */
export function currentRss(pid: number): number {
  return processMemory(pid)?.rss ?? 0;
}

function processMemory(pid: number): ProcessMemory | null {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
    const field = (name: string): number => 1024 * Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(text)?.[1] ?? 0);
    return { rss: field("Rss"), pss: field("Pss") };
  } catch {
    return null;
  }
}

function processTree(root: number): ProcessStat[] {
  const children = new Map<number, ProcessStat[]>();
  let top: ProcessStat | null = null;
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = readStat(Number(entry));
    if (!stat) continue;
    if (stat.pid === root) top = stat;
    const siblings = children.get(stat.parent);
    if (siblings) siblings.push(stat);
    else children.set(stat.parent, [stat]);
  }
  if (!top) throw new Error(`There is no process ${root} under /proc`);
  const tree = [top];
  for (const process of tree) tree.push(...(children.get(process.pid) ?? []));
  return tree;
}

function readStat(pid: number): ProcessStat | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return null;
  }
  // The program's name, in parentheses, may contain anything: the fixed fields begin after its last parenthesis.
  const fields = text
    .slice(text.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
  const [parent = 0] = fields.slice(1);
  const [user = 0, system = 0, reapedUser = 0, reapedSystem = 0] = fields.slice(11);
  return { pid, parent, own: (user + system) * tickMs, reaped: (reapedUser + reapedSystem) * tickMs };
}
