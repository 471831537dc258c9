import { readFileSync, writeFileSync } from "node:fs";

function status(pid: number, field: string): number {
  return 1024 * Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}

/** What a process holds in memory, bytes. Linux only, as all of this. */
export function residentBytes(pid: number): number {
  return status(pid, "VmRSS");
}

/** By how many bytes the most that a process held at once, while `work` ran, is above `idle`: what it held before. */
export async function growthDuring(pid: number, work: () => Promise<void>, idle = residentBytes(pid)): Promise<number> {
  // Makes the kernel forget the highest value so far.
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
  await work();
  return status(pid, "VmHWM") - idle;
}
