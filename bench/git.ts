/** `bun run bench:git`: our server and `git http-backend`, side by side in one run. See docs/benchmarks.md. */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { describeSource, operate, operationNames, type OperationName, type Source } from "./git-operations.ts";
import { histories } from "./histories.ts";
import { ChildServer } from "./support/child-server.ts";
import { describeMachine, machineLine } from "./support/machine.ts";
import { peakRss, settledTreeCpu } from "./support/process-tree.ts";
import { git } from "./support/run.ts";
import { median } from "./support/statistics.ts";
import { startStithy } from "./support/stithy-server.ts";
import { figure, formatTable } from "./support/table.ts";

const usage = `Usage: bun run bench:git [options]

  --binary FILE   measure this executable instead of the source (bun run build makes dist/stithy)
  --self-check    git http-backend on both sides: all ratios should be near 1
  --only NAMES    these histories only (comma-separated)
  --rounds N      how often everything is done (default 3)
  --json FILE     write all samples there, too
`;

/** One of the two servers that are compared. */
interface Side extends AsyncDisposable {
  label: string;
  pid: number;
  createRepository(name: string, defaultBranch: string): Promise<string>;
  /** processor time that counts as the server's own, in milliseconds, once it rests */
  cpu(): Promise<number>;
}

interface Sample {
  round: number;
  wallMs: number;
  cpuMs: number;
}

interface Result {
  history: string;
  commits: number;
  operation: OperationName;
  ours: Sample[];
  git: Sample[];
}

async function gitSide(label: string, scratch: string): Promise<Side> {
  const root = join(scratch, label);
  await mkdir(root, { recursive: true });
  const server = await ChildServer.start([process.execPath, join(import.meta.dir, "git-http-front.ts"), root]);
  const { url } = server.ready as { url: string };
  return {
    label,
    pid: server.pid,
    async createRepository(name, defaultBranch) {
      await git(root, "init", "--quiet", "--bare", `--initial-branch=${defaultBranch}`, `${name}.git`);
      const path = join(root, `${name}.git`);
      await git(path, "config", "http.receivepack", "true");
      await git(path, "config", "receive.fsckObjects", "true");
      return `${url}/${name}.git`;
    },
    // Of this side only git itself counts, not the front that passes bytes on.
    cpu: async () => (await settledTreeCpu(server.pid)).descendants,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

async function ourSide(binary: string | null): Promise<Side> {
  const server = await startStithy(binary);
  return {
    label: "stithy",
    pid: server.pid,
    createRepository: (name, defaultBranch) => server.createRepository(name, defaultBranch),
    async cpu() {
      const { self, descendants } = await settledTreeCpu(server.pid);
      return self + descendants;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

async function measure(side: Side, operation: OperationName, source: Source, url: string, round: number, scratch: string): Promise<Sample> {
  const before = await side.cpu();
  const wallMs = await operate(operation, source, url, scratch);
  return { round, wallMs, cpuMs: (await side.cpu()) - before };
}

/** A push and a clone that are not counted: both sides have their code loaded when the first history comes. */
async function warmUp(sides: readonly Side[], source: Source, scratch: string): Promise<void> {
  for (const side of sides) {
    const url = await side.createRepository("warm-up", source.branch);
    for (const operation of operationNames) await operate(operation, source, url, scratch);
  }
}

async function compare(source: Source, ours: Side, theirs: Side, rounds: number, scratch: string): Promise<Result[]> {
  const results = operationNames.map((operation): Result => ({ history: source.name, commits: source.commits, operation, ours: [], git: [] }));
  for (let round = 1; round <= rounds; round++) {
    const name = `${source.name}-${round}`;
    const ourUrl = await ours.createRepository(name, source.branch);
    const theirUrl = await theirs.createRepository(name, source.branch);
    for (const result of results) {
      result.ours.push(await measure(ours, result.operation, source, ourUrl, round, scratch));
      result.git.push(await measure(theirs, result.operation, source, theirUrl, round, scratch));
    }
  }
  return results;
}

function middle(samples: readonly Sample[], field: "wallMs" | "cpuMs"): number {
  return median(samples.map((sample) => sample[field]));
}

function row({ history, commits, operation, ours, git }: Result): string[] {
  const columns = (["wallMs", "cpuMs"] as const).flatMap((field) => {
    const [mine, theirs] = [middle(ours, field), middle(git, field)];
    return [figure(mine), figure(theirs), figure(mine / theirs)];
  });
  return [history, operation, commits.toString(), ...columns];
}

const { values } = parseArgs({
  options: {
    binary: { type: "string" },
    "self-check": { type: "boolean", default: false },
    only: { type: "string" },
    rounds: { type: "string", default: "3" },
    json: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  process.stdout.write(usage);
  process.exit(0);
}
const rounds = Number(values.rounds);
if (!Number.isSafeInteger(rounds) || rounds < 1) throw new Error(`--rounds needs a whole number from 1 on, not "${values.rounds}"`);

const wanted = values.only?.split(",");
const all = await histories();
const chosen = wanted ? all.filter(({ name }) => wanted.includes(name)) : all;
if (chosen.length === 0) throw new Error(`No history is named "${values.only}"; there are ${all.map(({ name }) => name).join(", ")}`);
const sources = await Promise.all(chosen.map(describeSource));
const [warmUpHistory] = await histories({ packages: ["marked"], folder: false }).then((found) => found.filter(({ name }) => name === "marked"));
if (!warmUpHistory) throw new Error("The history of marked is missing");

const machine = await describeMachine();
const scratch = await mkdtemp(join(tmpdir(), "stithy-bench-git-"));
try {
  await using theirs = await gitSide("git", scratch);
  await using ours = values["self-check"] ? await gitSide("git-again", scratch) : await ourSide(values.binary ?? null);
  await warmUp([ours, theirs], await describeSource(warmUpHistory), scratch);
  const results: Result[] = [];
  for (const source of sources) {
    if (process.stderr.isTTY) process.stderr.write(`${source.name}: ${source.commits} commits\n`);
    results.push(...(await compare(source, ours, theirs, rounds, scratch)));
  }
  console.log(`${machineLine(machine)}\n${values["self-check"] ? "Self-check: git http-backend on both sides" : `Server: ${values.binary ?? "bun src/main.ts"}`}; ${rounds} rounds, medians, warm page cache\n`);
  console.log(formatTable(["history", "operation", "commits", "ours ms", "git ms", "ratio", "ours CPU ms", "git CPU ms", "ratio"], results.map(row), 2));
  const peak = peakRss(ours.pid);
  console.log(`\nLargest resident memory of our server process: ${Math.round(peak / 1024 ** 2)} MiB`);
  if (values.json !== undefined) await Bun.write(values.json, `${JSON.stringify({ machine, server: values["self-check"] ? "git http-backend" : (values.binary ?? "src/main.ts"), rounds, peakRssBytes: peak, results }, null, 2)}\n`);
} finally {
  await rm(scratch, { recursive: true, force: true });
}
