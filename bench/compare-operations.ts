import { rm } from "node:fs/promises";
import { operate, operationsOf, retold, type OperationName, type Source } from "./git-operations.ts";
import type { GitSide, Side } from "./git-sides.ts";
import { peakRss, resetPeakRss } from "./support/process-tree.ts";
import { git } from "./support/run.ts";
import { median } from "./support/statistics.ts";
import { figure } from "./support/table.ts";

export interface Sample {
  round: number;
  wallMs: number;
  cpuMs: number;
  /** largest resident memory of the server's process meanwhile, bytes */
  peakBytes: number;
}

export interface OperationResult {
  history: string;
  commits: number;
  operation: OperationName;
  ours: Sample[];
  git: Sample[];
  /** git with a bitmap beside its pack; only what reads */
  bitmap: Sample[];
}

/** The largest histories take minutes a round, and long times vary little. */
const largeCommits = 20_000;

/**
 * All operations of a history on both servers by turns, in a new repository each round. With `bitmaps`, git also answers
 * from a copy that has one (`git repack -adb`).
 */
export async function compareOperations(
  source: Source,
  ours: Side,
  theirs: GitSide,
  options: { rounds: number; bitmaps: boolean; scratch: string },
): Promise<OperationResult[]> {
  const { scratch, bitmaps } = options;
  const results = operationsOf(source).map((operation): OperationResult => ({
    history: source.name,
    commits: source.commits,
    operation,
    ours: [],
    git: [],
    bitmap: [],
  }));
  const rounds = source.commits > largeCommits ? 1 : options.rounds;
  const bitmapUrl = bitmaps ? await repositoryWithBitmap(source, theirs) : null;
  for (let round = 1; round <= rounds; round++) {
    const name = `${source.name}-${round}`;
    const ourUrl = await ours.createRepository(name, source.branch);
    const theirUrl = await theirs.createRepository(name, source.branch);
    const pushed = await retold(source, scratch);
    for (const result of results) {
      const { operation } = result;
      result.ours.push(await measure(ours, operation, pushed, ourUrl, round, scratch));
      result.git.push(await measure(theirs, operation, pushed, theirUrl, round, scratch));
      if (bitmapUrl !== null && operation !== "push") {
        result.bitmap.push(await measure(theirs, operation, source, bitmapUrl, round, scratch));
      }
    }
    await rm(pushed.path, { recursive: true });
  }
  return results;
}

/** One operation, and what the server used meanwhile. */
export async function measure(
  side: Side,
  operation: OperationName,
  source: Source,
  url: string,
  round: number,
  scratch: string,
): Promise<Sample> {
  // What is asked for is the warm case: whoever fetches the last commits is one of many.
  if (operation === "fetch 50 commits") await operate(operation, source, url, scratch);
  const before = await side.cpu();
  resetPeakRss(side.pid);
  const wallMs = await operate(operation, source, url, scratch);
  const cpuMs = (await side.cpu()) - before;
  return { round, wallMs, cpuMs, peakBytes: peakRss(side.pid) };
}

async function repositoryWithBitmap(source: Source, theirs: GitSide): Promise<string> {
  const name = `${source.name}-bitmap`;
  const url = await theirs.createRepository(name, source.branch);
  await operate("push", source, url, "");
  await git(theirs.pathOf(name), "repack", "-adbq");
  return url;
}

export const operationsHeader = [
  "history",
  "operation",
  "commits",
  "ours ms",
  "git ms",
  "ratio",
  "ours CPU ms",
  "git CPU ms",
  "ratio",
  "bitmap CPU ms",
  "ratio",
  "MiB above idle",
];

/** A row of the table; `idleBytes` is what our server had before it did anything. */
export function operationRow(
  { history, commits, operation, ours, git: theirs, bitmap }: OperationResult,
  idleBytes: number,
): string[] {
  const columns = (["wallMs", "cpuMs"] as const).flatMap((field) => {
    const [mine, other] = [middle(ours, field), middle(theirs, field)];
    return [figure(mine), figure(other), figure(mine / other)];
  });
  const withBitmap = middle(bitmap, "cpuMs");
  const peak = Math.max(...ours.map(({ peakBytes }) => peakBytes));
  return [
    history,
    operation,
    commits.toString(),
    ...columns,
    figure(withBitmap),
    figure(middle(ours, "cpuMs") / withBitmap),
    Math.round((peak - idleBytes) / 1024 ** 2).toString(),
  ];
}

function middle(samples: readonly Sample[], field: "wallMs" | "cpuMs"): number {
  return median(samples.map((sample) => sample[field]));
}
