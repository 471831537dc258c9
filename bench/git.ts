/** `bun run bench:git`: our server and `git http-backend`, side by side in one run. See docs/benchmarks.md. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { callsBesideGit, callsHeader, callsRow, type CallsResult } from "./calls-beside-git.ts";
import { compareOperations, operationRow, operationsHeader, type OperationResult } from "./compare-operations.ts";
import { firstPushes, firstPushesHeader, firstPushesRows, type FirstPushes } from "./first-pushes.ts";
import { generatedHistory } from "./generated-history.ts";
import { describeSource, type Source } from "./git-operations.ts";
import { gitSide, ourSide } from "./git-sides.ts";
import { histories } from "./histories.ts";
import { manyRefs, manyRefsHeader, manyRefsRow, type ManyRefsResult } from "./many-refs.ts";
import { overSsh, sshHeader, sshRow, type SshResult } from "./over-ssh.ts";
import { parallelClones, parallelHeader, parallelRow, type ParallelResult } from "./parallel-clones.ts";
import { severalPacks, severalPacksHeader, severalPacksRow, type SeveralPacksResult } from "./several-packs.ts";
import { prepareSsh } from "./ssh-client.ts";
import { describeMachine, machineLine } from "./support/machine.ts";
import { mergeResults } from "./support/merge-results.ts";
import { currentRss } from "./support/process-tree.ts";
import { writeResults } from "./support/results.ts";
import { formatTable } from "./support/table.ts";
import { wholeNumber } from "./support/whole-number.ts";

const partNames = ["operations", "packs", "parallel", "ssh", "refs", "calls"] as const;
type PartName = (typeof partNames)[number];

const usage = `Usage: bun run bench:git [options]

  --binary FILE     measure this executable instead of the source (bun run build makes dist/stithy)
  --self-check      git http-backend on both sides, operations only: all ratios should be near 1
  --only NAMES      these histories only (comma-separated)
  --parts NAMES     these parts only: ${partNames.join(", ")}
  --rounds N        how often operations are done (default 3; histories over 20,000 commits once)
  --main NAME       the history for all parts but operations (default real-hono, else hono, else the first)
  --generated N     with a generated history of N commits, too; 100000 make 1 GB, once
  --no-bitmaps      leave out the columns of git with a bitmap
  --write           keep the tables in bench/results/; rows of what was not measured stay there
  --json FILE       write all samples there, too
`;

interface Results {
  first: FirstPushes;
  operations: OperationResult[];
  packs: SeveralPacksResult[];
  parallel: ParallelResult[];
  ssh: SshResult[];
  refs: ManyRefsResult[];
  calls: CallsResult[];
}

function chooseParts(text: string | undefined): ReadonlySet<PartName> {
  if (text === undefined) return new Set(partNames);
  return new Set(
    text.split(",").map((name) => {
      const part = partNames.find((each) => each === name);
      if (part === undefined) throw new Error(`There is no part "${name}"; there are ${partNames.join(", ")}`);
      return part;
    }),
  );
}

async function chooseSources(only: string | undefined, generated: string | undefined): Promise<Source[]> {
  const all = await histories();
  if (generated !== undefined) all.push(await generatedHistory(wholeNumber("generated", generated)));
  const wanted = only?.split(",");
  const chosen = wanted ? all.filter(({ name }) => wanted.includes(name)) : all;
  if (chosen.length === 0)
    throw new Error(`No history is named "${only}"; there are ${all.map(({ name }) => name).join(", ")}`);
  return Promise.all(chosen.map(describeSource));
}

function chooseMain(sources: readonly Source[], name: string | undefined): Source {
  for (const wanted of name === undefined ? ["real-hono", "hono"] : [name]) {
    const found = sources.find((source) => source.name === wanted);
    if (found) return found;
  }
  const [first] = sources;
  if (name !== undefined || !first) throw new Error(`No history is named "${name}"`);
  return first;
}

function tell(part: string): void {
  if (process.stderr.isTTY) process.stderr.write(`${part}\n`);
}

function tables(results: Results, idleBytes: number): string[] {
  const parts: [string[], string[][], number][] = [
    [firstPushesHeader, firstPushesRows(results.first), 1],
    [operationsHeader, results.operations.map((result) => operationRow(result, idleBytes)), 2],
    [severalPacksHeader, results.packs.map((result) => severalPacksRow(result, idleBytes)), 2],
    [parallelHeader, results.parallel.map((result) => parallelRow(result, idleBytes)), 2],
    [sshHeader, results.ssh.map(sshRow), 2],
    [manyRefsHeader, results.refs.map(manyRefsRow), 1],
    [callsHeader, results.calls.map(callsRow), 1],
  ];
  return parts.filter(([, rows]) => rows.length > 0).map(([header, rows, left]) => formatTable(header, rows, left));
}

const { values } = parseArgs({
  options: {
    binary: { type: "string" },
    "self-check": { type: "boolean", default: false },
    only: { type: "string" },
    parts: { type: "string" },
    rounds: { type: "string", default: "3" },
    main: { type: "string" },
    generated: { type: "string" },
    "no-bitmaps": { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    json: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  process.stdout.write(usage);
  process.exit(0);
}
const rounds = wholeNumber("rounds", values.rounds);
const parts = chooseParts(values.parts);
const sources = await chooseSources(values.only, values.generated);
const main = chooseMain(sources, values.main);
const [warmUpHistory] = await histories({ packages: ["marked"], folder: false }).then((found) =>
  found.filter(({ name }) => name === "marked"),
);
if (!warmUpHistory) throw new Error("The history of marked is missing");

const machine = await describeMachine();
const scratch = await mkdtemp(join(tmpdir(), "stithy-bench-git-"));
try {
  await using theirs = await gitSide("git", scratch);
  const ours = values["self-check"] ? null : await ourSide(values.binary ?? null);
  await using mine = ours ?? (await gitSide("git-again", scratch));
  const idleBytes = currentRss(mine.pid);
  const warmUp = await describeSource(warmUpHistory);
  const first = await firstPushes(warmUp, mine, theirs, scratch);
  const results: Results = { first, operations: [], packs: [], parallel: [], ssh: [], refs: [], calls: [] };
  for (const source of parts.has("operations") ? sources : []) {
    tell(`${source.name}: ${source.commits} commits`);
    results.operations.push(
      ...(await compareOperations(source, mine, theirs, { rounds, bitmaps: !values["no-bitmaps"], scratch })),
    );
  }
  if (ours !== null) {
    tell(`other parts, with ${main.name}`);
    if (parts.has("packs")) results.packs = await severalPacks(main, ours, theirs, { rounds, scratch });
    if (parts.has("parallel")) results.parallel = await parallelClones(main, ours, theirs, { rounds, scratch });
    const ssh = parts.has("ssh") || parts.has("calls") ? await prepareSsh(ours.server, scratch) : null;
    if (parts.has("ssh") && ssh !== null) results.ssh = await overSsh(main, warmUp, ours, ssh, { rounds, scratch });
    if (parts.has("refs")) results.refs = await manyRefs(ours, theirs, scratch);
    if (parts.has("calls") && ssh !== null) results.calls = await callsBesideGit(main, ours, ssh, scratch);
  }
  const server = values["self-check"]
    ? "Self-check: git http-backend on both sides"
    : `Server: ${values.binary ?? "bun src/main.ts"}, ${Math.round(idleBytes / 1024 ** 2)} MiB when idle`;
  const text = [
    `${machineLine(machine)}\n${server}; ${rounds} rounds, medians, warm page cache, CPU by ${mine.clock}`,
    ...tables(results, idleBytes),
  ].join("\n\n");
  console.log(text);
  if (values.write) await writeResults("git", text, mergeResults);
  if (values.json !== undefined)
    await Bun.write(
      values.json,
      `${JSON.stringify({ machine, server: values["self-check"] ? "git http-backend" : (values.binary ?? "src/main.ts"), rounds, idleBytes, ...results }, null, 2)}\n`,
    );
} finally {
  await rm(scratch, { recursive: true, force: true });
}
