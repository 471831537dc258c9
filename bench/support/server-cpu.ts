import { openCpuGroup, type CpuGroup } from "./cpu-group.ts";
import { processClock } from "./process-clock.ts";
import { tickMs, treeCpu } from "./process-tree.ts";

/** The processor time of a server with all that it starts. */
export interface ServerCpu extends AsyncDisposable {
  /** what counts it, for people */
  clock: string;
  /** the command that starts `command` so that it is counted */
  start(command: readonly string[]): string[];
  /** milliseconds, once it rests; `whole` with the server's own process, else only what that has started */
  settled(pid: number, whole: boolean): Promise<number>;
}

/** Exact where a control group can be made, else in the steps in which /proc counts. */
export function serverCpu(name: string): ServerCpu {
  const group = openCpuGroup(name);
  return group ? byGroup(group) : byTicks;
}

function byGroup(group: CpuGroup): ServerCpu {
  return {
    clock: group.clock,
    start: (command) => group.start(command),
    settled: (pid, whole) => settle(() => group.used() - (whole ? 0 : processClock(pid)), restMs),
    [Symbol.asyncDispose]: () => group[Symbol.asyncDispose](),
  };
}

const byTicks: ServerCpu = {
  clock: `/proc in steps of ${tickMs} ms`,
  start: (command) => [...command],
  settled: (pid, whole) =>
    settle(() => {
      const { self, descendants } = treeCpu(pid);
      return whole ? self + descendants : descendants;
    }, 0),
  async [Symbol.asyncDispose]() {},
};

const stepMs = 60;
/** A server at rest has timers and a database that wakes up; both together use less than this in a step. */
const restMs = 1;
const patienceMs = 60_000;

/** Waits until the figure grows no more than this in a step: work that goes on after an answer is counted to it. */
async function settle(read: () => number, growth: number): Promise<number> {
  const deadline = performance.now() + patienceMs;
  for (let last = read(); ;) {
    await Bun.sleep(stepMs);
    const now = read();
    if (now - last <= growth || performance.now() > deadline) return now;
    last = now;
  }
}
