import { readFileSync } from "node:fs";
import { until } from "./until.ts";

/** Clock ticks of Linux's account of a process; each is 10 ms. */
const tickMs = 10;

/** Processor time of a process with all its threads, without its children, milliseconds. Linux only. */
function workedMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const [user, system] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13);
  return (Number(user) + Number(system)) * tickMs;
}

/**
 * Begins to measure the processor time of this process with all its threads. What it returns says how much it was since
 * then, milliseconds: on a busy machine about as much as on an idle one.
 */
export function measureWork(): () => number {
  const began = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1000;
  };
}

/**
 * Waits until a process has worked for so long from now on, or until `isOver`: a moment in its work, and on a busy machine
 * the same one as on an idle machine.
 */
export async function untilWorked(
  pid: number,
  milliseconds: number,
  isOver: () => boolean | Promise<boolean> = () => false,
): Promise<void> {
  const end = workedMs(pid) + milliseconds;
  await until(`process ${pid} has worked for ${milliseconds} ms`, () => workedMs(pid) >= end || isOver());
}
