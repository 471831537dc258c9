import { rm } from "node:fs/promises";
import { join } from "node:path";
import { clientsFloor } from "./clients-floor.ts";
import { operate, type Source } from "./git-operations.ts";
import type { Side } from "./git-sides.ts";
import type { PackJob, PackResult } from "./pack-client.ts";
import { peakRss, resetPeakRss } from "./support/process-tree.ts";
import { run } from "./support/run.ts";
import { median } from "./support/statistics.ts";
import { figure } from "./support/table.ts";

interface ParallelFigures {
  wallMs: number;
  cpuMs: number;
  peakBytes: number;
  /** what the real clients take without any server; NaN for those that keep nothing */
  floorMs: number;
}

export interface ParallelResult {
  history: string;
  clients: number;
  /** "pack only": clients that read and keep nothing, "first crowd" when nobody came before; "git": the real one, which indexes */
  client: "first crowd" | "pack only" | "git";
  ours: ParallelFigures;
  git: ParallelFigures;
}

const packOnlyClients = [1, 20, 50];
const realClients = 20;

/** Clones of one repository at the same time, after one that was not counted. */
export async function parallelClones(
  source: Source,
  ours: Side,
  theirs: Side,
  options: { rounds: number; scratch: string },
): Promise<ParallelResult[]> {
  const { rounds, scratch } = options;
  const name = `${source.name}-parallel`;
  const urls = new Map<Side, string>();
  for (const side of [ours, theirs]) {
    const url = await side.createRepository(name, source.branch);
    await operate("push", source, url, scratch);
    await operate("clone", source, url, scratch);
    urls.set(side, url);
  }
  const measureBoth = async (client: ParallelResult["client"], clients: number): Promise<ParallelResult> => {
    const samples = { ours: [] as ParallelFigures[], git: [] as ParallelFigures[] };
    for (let round = 0; round < (client === "first crowd" ? 1 : rounds); round++) {
      for (const [key, side] of [
        ["ours", ours],
        ["git", theirs],
      ] as const) {
        const url = urls.get(side) ?? "";
        const floorMs = client === "git" ? await clientsFloor(url, clients, scratch) : Number.NaN;
        samples[key].push({
          ...(await measure(side, () =>
            client === "git" ? cloneAtOnce(url, clients, scratch) : fetchPacks(source, url, clients),
          )),
          floorMs,
        });
      }
    }
    return { history: source.name, clients, client, ours: middle(samples.ours), git: middle(samples.git) };
  };
  // What a server takes once, for compiled code and buffers that stay, is in a row of its own, and in all rows after it.
  const results = [await measureBoth("first crowd", Math.max(...packOnlyClients))];
  for (const clients of packOnlyClients) results.push(await measureBoth("pack only", clients));
  results.push(await measureBoth("git", realClients));
  return results;
}

async function measure(side: Side, clone: () => Promise<number>): Promise<Omit<ParallelFigures, "floorMs">> {
  const before = await side.cpu();
  resetPeakRss(side.pid);
  const wallMs = await clone();
  return { wallMs, cpuMs: (await side.cpu()) - before, peakBytes: peakRss(side.pid) };
}

/** Wall time in milliseconds, of the requests alone. */
export async function fetchPacks(source: Source, url: string, clients: number): Promise<number> {
  const { origin, pathname } = new URL(url);
  const oids = [...new Set(source.refs.split("\n").map((line) => line.split(" ")[0] ?? ""))];
  const job: PackJob = { url: `${origin}${pathname}`, oids, clients };
  const { stdout } = await run([process.execPath, join(import.meta.dir, "pack-client.ts"), JSON.stringify(job)]);
  const { wallMs, bytes } = JSON.parse(stdout) as PackResult;
  // Git's packets are as long as what it happened to read at once.
  if (bytes.length !== clients || Math.min(...bytes) < 0.99 * Math.max(...bytes)) {
    throw new Error(`Clones of "${source.name}" at once came out with ${[...new Set(bytes)].join(", ")} bytes`);
  }
  return wallMs;
}

async function cloneAtOnce(url: string, clients: number, scratch: string): Promise<number> {
  const paths = Array.from({ length: clients }, (_, number) => join(scratch, `parallel-${number}.git`));
  const started = performance.now();
  try {
    await Promise.all(
      paths.map((path) => run(["git", "-c", "protocol.version=2", "clone", "--quiet", "--mirror", url, path])),
    );
    return performance.now() - started;
  } finally {
    await Promise.all(paths.map((path) => rm(path, { recursive: true, force: true })));
  }
}

function middle(samples: readonly ParallelFigures[]): ParallelFigures {
  const of = (field: keyof ParallelFigures): number => median(samples.map((sample) => sample[field]));
  return {
    wallMs: of("wallMs"),
    cpuMs: of("cpuMs"),
    floorMs: of("floorMs"),
    peakBytes: Math.max(...samples.map(({ peakBytes }) => peakBytes)),
  };
}

/** A difference of two measurements, which noise may make negative. */
function wholeMs(value: number): string {
  return Number.isNaN(value) ? "-" : Math.round(value).toString();
}

export const parallelHeader = [
  "at once",
  "client",
  "clones at once",
  "ours ms",
  "git ms",
  "ratio",
  "ours floor ms",
  "git floor ms",
  "ours above it",
  "git above it",
  "ours CPU ms",
  "git CPU ms",
  "ratio",
  "MiB above idle",
];

export function parallelRow({ history, client, clients, ours, git }: ParallelResult, idleBytes: number): string[] {
  return [
    history,
    client,
    clients.toString(),
    figure(ours.wallMs),
    figure(git.wallMs),
    figure(ours.wallMs / git.wallMs),
    figure(ours.floorMs),
    figure(git.floorMs),
    wholeMs(ours.wallMs - ours.floorMs),
    wholeMs(git.wallMs - git.floorMs),
    figure(ours.cpuMs),
    figure(git.cpuMs),
    figure(ours.cpuMs / git.cpuMs),
    Math.round((ours.peakBytes - idleBytes) / 1024 ** 2).toString(),
  ];
}
