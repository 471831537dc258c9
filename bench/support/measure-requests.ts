import { readFileSync } from "node:fs";
import { join } from "node:path";
import { processClock } from "./process-clock.ts";
import { treeCpu } from "./process-tree.ts";
import { median, percentile } from "./statistics.ts";

/** What a request takes that is sent again and again, one at a time. */
export interface RequestFigures {
  /** Until the first byte of the answer, median. */
  readonly firstByteMs: number;
  /** Until its last one. */
  readonly p50Ms: number;
  readonly p90Ms: number;
  /** Processor time of a request, of the server's own process and of PostgreSQL. */
  readonly serverMs: number;
  readonly databaseMs: number;
}

/** Reads the processor time that a server and its own PostgreSQL have used so far, milliseconds. */
export type ReadCpu = () => { readonly server: number; readonly database: number };

/** `data`: the data directory of the server. */
export function cpuOfServer({ pid, data }: { readonly pid: number; readonly data: string }): ReadCpu {
  const file = join(data, "postgres", "cluster", "postmaster.pid");
  const postmaster = Number(readFileSync(file, "utf8").split("\n")[0]);
  return () => {
    const { self, descendants } = treeCpu(postmaster);
    return { server: processClock(pid), database: self + descendants };
  };
}

/** Asks so many times, after some uncounted ones, which prepare statements and compile. Throws if an answer is not 200. */
export async function measureRequests(
  ask: (round: number) => Promise<Response>,
  rounds: number,
  cpu: ReadCpu,
): Promise<RequestFigures> {
  const firstBytes: number[] = [];
  const times: number[] = [];
  const once = async (round: number) => {
    const began = performance.now();
    const response = await ask(round);
    firstBytes.push(performance.now() - began);
    await response.bytes();
    times.push(performance.now() - began);
    if (response.status !== 200) throw new Error(`${response.url} answered ${response.status}`);
  };
  const uncounted = Math.ceil(rounds / 6);
  for (let round = 0; round < uncounted; round++) await once(round);
  firstBytes.length = times.length = 0;
  const before = cpu();
  for (let round = 0; round < rounds; round++) await once(uncounted + round);
  const after = cpu();
  return {
    firstByteMs: median(firstBytes),
    p50Ms: median(times),
    p90Ms: percentile(
      times.toSorted((a, b) => a - b),
      0.9,
    ),
    serverMs: (after.server - before.server) / rounds,
    databaseMs: (after.database - before.database) / rounds,
  };
}
