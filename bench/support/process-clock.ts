import { dlopen, ptr } from "bun:ffi";

const { symbols } = dlopen("libc.so.6", {
  clock_getcpuclockid: { args: ["i32", "ptr"], returns: "i32" },
  clock_gettime: { args: ["i32", "ptr"], returns: "i32" },
});

/** Processor time in milliseconds, exact to the nanosecond, of a process with all threads that it has or had; not its children. */
export function processClock(pid: number): number {
  const clock = new Int32Array(1);
  const time = new BigInt64Array(2);
  if (symbols.clock_getcpuclockid(pid, ptr(clock)) !== 0 || symbols.clock_gettime(clock[0] ?? 0, ptr(time)) !== 0) {
    throw new Error(`The processor time of process ${pid} could not be read`);
  }
  const [seconds = 0n, nanoseconds = 0n] = time;
  return Number(seconds) * 1e3 + Number(nanoseconds) / 1e6;
}
