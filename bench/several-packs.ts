import { measure, type Sample } from "./compare-operations.ts";
import { operate, type OperationName, type Source } from "./git-operations.ts";
import type { GitSide, OurSide, Side } from "./git-sides.ts";
import { git, run } from "./support/run.ts";
import { median } from "./support/statistics.ts";
import { figure } from "./support/table.ts";

const pieces = 20;
/** Our server looks at a repository of several packs 5 s after it has seen it, and again a minute later at the earliest. */
const upkeepMs = 90_000;

interface PackedSample extends Sample {
  packs: string;
}

export interface SeveralPacksResult {
  history: string;
  operation: OperationName;
  /** whether ours had been put in order by its server */
  afterUpkeep: boolean;
  ours: PackedSample[];
  git: PackedSample[];
}

const operations = ["clone", "clone again", "clone depth 1", "fetch 50 commits"] as const;

/** What reads a repository that came in many pushes: as they left it, and after our server's own upkeep. Git's does none so soon. */
export async function severalPacks(
  source: Source,
  ours: OurSide,
  theirs: GitSide,
  options: { rounds: number; scratch: string },
): Promise<SeveralPacksResult[]> {
  const { scratch } = options;
  const result =
    (afterUpkeep: boolean) =>
    (operation: OperationName): SeveralPacksResult => ({
      history: source.name,
      operation,
      afterUpkeep,
      ours: [],
      git: [],
    });
  const before = operations
    .filter((operation) => operation !== "fetch 50 commits" || source.earlier !== null)
    .map(result(false));
  const after = operations.slice(0, 1).map(result(true));
  for (let round = 1; round <= options.rounds; round++) {
    const name = `${source.name}-pieces-${round}`;
    const url = await ours.createRepository(name, source.branch);
    const theirUrl = await theirs.createRepository(name, source.branch);
    const measureBoth = async (results: SeveralPacksResult[]): Promise<void> => {
      for (const { operation, ...samples } of results) {
        for (const [taken, side, address] of [
          [samples.ours, ours, url],
          [samples.git, theirs, theirUrl],
        ] as const) {
          const packs = await side.packs(name);
          taken.push({ ...(await measure(side, operation, source, address, round, scratch)), packs });
        }
      }
    };
    // What git does after a push unless it is told otherwise.
    for (const [key, value] of [
      ["receive.autogc", "true"],
      ["gc.auto", "6700"],
    ] as const)
      await git(theirs.pathOf(name), "config", key, value);
    await pushInPieces(source, theirUrl, async () => {});
    // The third push sees two packs, so the server looks at the repository. Packs that come after that stay for a minute.
    await pushInPieces(source, url, (piece) => (piece === 3 ? untilFewerPacks(ours, name) : Promise.resolve()));
    await measureBoth(before);
    // Before the next round begins, so that this one's upkeep is not counted to it.
    await untilFewerPacks(ours, name);
    await measureBoth(after);
  }
  return [...before, ...after];
}

/** Pushes the branch up to one commit of its first parents after the other, evenly spread, and all branches and tags at last. */
async function pushInPieces(source: Source, url: string, pushed: (piece: number) => Promise<void>): Promise<void> {
  const line = (await git(source.path, "rev-list", "--first-parent", "--reverse", `refs/heads/${source.branch}`)).split(
    "\n",
  );
  for (let piece = 1; piece < pieces; piece++) {
    const commit = line[Math.floor((line.length * piece) / pieces) - 1];
    if (commit === undefined) continue;
    await run([
      "git",
      "-c",
      "protocol.version=2",
      "-C",
      source.path,
      "push",
      "--quiet",
      url,
      `${commit}:refs/heads/${source.branch}`,
    ]);
    await pushed(piece);
  }
  await operate("push", source, url, "");
}

async function untilFewerPacks(side: Side, name: string): Promise<void> {
  const packs = async (): Promise<number> => Number(await side.packs(name));
  const before = await packs();
  if (before === 1) return;
  // Whether it gave up is in the table: it says how many packs there were.
  for (const end = performance.now() + upkeepMs; performance.now() < end && (await packs()) >= before;)
    await Bun.sleep(1000);
}

export const severalPacksHeader = [
  "history in 20 pushes",
  "operation",
  "ours packs",
  "git packs",
  "ours ms",
  "git ms",
  "ratio",
  "ours CPU ms",
  "git CPU ms",
  "ratio",
  "MiB above idle",
];

export function severalPacksRow(
  { history, operation, afterUpkeep, ours, git: theirs }: SeveralPacksResult,
  idleBytes: number,
): string[] {
  const columns = (["wallMs", "cpuMs"] as const).flatMap((field) => {
    const [mine, other] = [ours, theirs].map((samples) => median(samples.map((sample) => sample[field]))) as [
      number,
      number,
    ];
    return [figure(mine), figure(other), figure(mine / other)];
  });
  const packs = [ours, theirs].map((samples) => [...new Set(samples.map((sample) => sample.packs))].join("/"));
  const peak = Math.max(...ours.map(({ peakBytes }) => peakBytes));
  return [
    history,
    `${operation}${afterUpkeep ? ", after upkeep" : ""}`,
    ...packs,
    ...columns,
    Math.round((peak - idleBytes) / 1024 ** 2).toString(),
  ];
}
