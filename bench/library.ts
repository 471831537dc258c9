/** `bun run bench:library`: what the API asks of the git engine, against git's own commands. See docs/benchmarks.md. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { GitEngine } from "../src/git/engine.ts";
import type { Operations, Streams } from "../src/git/operations/operations.ts";
import type { RepositoryView } from "../src/git/job/repository-view.ts";
import { silentLogger } from "../src/lib/log.ts";
import { gitWorkerUrl, indexWorkerUrl } from "../src/workers.ts";
import { histories } from "./histories.ts";
import { childEnvironment } from "./support/environment.ts";
import { describeMachine, machineLine } from "./support/machine.ts";
import { writeResults } from "./support/results.ts";
import { git } from "./support/run.ts";
import { median } from "./support/statistics.ts";
import { figure, formatTable } from "./support/table.ts";

const usage = `Usage: bun run bench:library [options]

  --history NAME   a history as bench:git lists it (default: the one with the most commits)
  --only WORD      only tasks whose name has the word
  --rounds N       medians of so many (default 3)
  --write          keep the figures in bench/results/
`;

/** Of a directory git is asked for so many entries, one by one, and its time taken as many times as there are more. */
const askedEntries = 20;
const mergesTried = 20;
/** The worker does the same for commits so far back, one after the other, before it is measured: a server's code is compiled when it is asked. */
const commitsApart = [3000, 2500, 2000, 1500, 1000];
/** A repository as the server keeps it open, so that opening it is measured once only. */
const cacheBytes = 96 * 1024 * 1024;

interface Time {
  wallMs: number;
  cpuMs: number;
}

interface Task {
  label: string;
  ours: (engine: GitEngine) => Promise<unknown>;
  /** commands that together do the same, or a part of it */
  git: readonly (readonly string[])[];
  /** how many times that part is the whole */
  factor: number;
}

const { values } = parseArgs({
  options: {
    history: { type: "string" },
    only: { type: "string", default: "" },
    rounds: { type: "string", default: "3" },
    write: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  process.stdout.write(usage);
  process.exit(0);
}

async function chooseHistory(): Promise<{ name: string; path: string; commits: number }> {
  const counted = await Promise.all(
    (await histories()).map(async ({ name, path }) => ({
      name,
      path,
      commits: Number(await git(path, "rev-list", "--count", "HEAD")),
    })),
  );
  const chosen =
    values.history === undefined
      ? counted.toSorted((a, b) => b.commits - a.commits)[0]
      : counted.find(({ name }) => name === values.history);
  if (chosen === undefined) throw new Error(`There is no history "${values.history ?? ""}"`);
  return chosen;
}

async function lines(path: string, ...args: string[]): Promise<string[]> {
  return (await git(path, ...args)).split("\n").filter((line) => line !== "");
}

/** The name that stands most often in a list. */
function mostFrequent(names: readonly string[]): string {
  const counts = new Map<string, number>();
  names.forEach((name) => counts.set(name, (counts.get(name) ?? 0) + 1));
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? "";
}

/** Takes a stream's bytes and keeps none, as a connection does. */
async function readAll(stream: ReadableStream<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const chunk of stream) bytes += chunk.length;
  return bytes;
}

async function tasksOf(path: string, view: RepositoryView, head: string): Promise<Task[]> {
  const files = await lines(path, "-c", "core.quotePath=false", "ls-tree", "-r", "--name-only", head);
  const directory = mostFrequent(
    files.filter((file) => file.includes("/")).map((file) => file.slice(0, file.lastIndexOf("/"))),
  );
  const file = mostFrequent(
    (await lines(path, "log", "-2000", "--format=", "--name-only", head)).filter((name) => files.includes(name)),
  );
  const earlier = (await lines(path, "rev-list", "--first-parent", "-300", head)).at(-1)!;
  const merges = (
    await lines(path, "rev-list", "--min-parents=2", "--max-parents=2", "--parents", `-${mergesTried}`, head)
  ).map((line) => line.split(" ").slice(1) as [string, string]);
  const call =
    <Name extends keyof Operations>(name: Name, args: Operations[Name]["args"]) =>
    (engine: GitEngine): Promise<unknown> =>
      engine.call(view, name, args);
  const stream =
    <Name extends keyof Streams>(name: Name, args: Streams[Name]["args"]) =>
    (engine: GitEngine): Promise<unknown> =>
      readAll(engine.stream(view, name, args));
  const lastCommits = async (at: string): Promise<Task> => {
    const entries = await lines(
      path,
      "-c",
      "core.quotePath=false",
      "ls-tree",
      "--name-only",
      at === "" ? head : `${head}:${at}`,
    );
    const asked = entries.filter((_, number) => number % Math.ceil(entries.length / askedEntries) === 0);
    const ours = call("listTree", {
      commit: head,
      path: at,
      recursive: false,
      lastCommits: true,
      skip: 0,
      limit: entries.length,
    });
    return {
      label: `last commits of ${entries.length} entries`,
      ours,
      git: asked.map((entry) => ["log", "-1", "--format=%H", head, "--", at === "" ? entry : `${at}/${entry}`]),
      factor: entries.length / asked.length,
    };
  };
  const grep = (label: string, kind: "fixed" | "regular", pattern: string): Task => ({
    label,
    ours: call("grep", {
      treeish: head,
      pattern,
      kind,
      ignoreCase: false,
      wholeWord: false,
      paths: [],
      context: { before: 0, after: 0 },
      limits: { matches: 1e6, matchesEach: 1e6, bytes: 1 << 28, milliseconds: 60_000 },
    }),
    git: [["grep", "-n", "-I", kind === "fixed" ? "-F" : "-E", "-e", pattern, head]],
    factor: 1,
  });
  return [
    await lastCommits(""),
    await lastCommits(directory),
    {
      label: "blame of the file that changes most",
      ours: call("blame", { commit: head, path: file, ranges: [], not: [], ignoreWhitespace: false }),
      git: [["blame", "--porcelain", head, "--", file]],
      factor: 1,
    },
    {
      label: "patch of 300 commits, with renames",
      ours: stream("patch", { before: earlier, after: head, mail: null }),
      git: [["diff", "-M", earlier, head]],
      factor: 1,
    },
    {
      label: `${merges.length} merges made again`,
      ours: async (engine) => {
        for (const [ours, theirs] of merges)
          await engine.call(view, "mergeTrees", { ours, theirs, base: null, labels: { ours, base: "base", theirs } });
      },
      git: merges.map(([ours, theirs]) => ["merge-tree", "--write-tree", "--no-messages", ours, theirs]),
      factor: 1,
    },
    {
      label: "30 commits of a file",
      ours: call("log", {
        tips: [head],
        not: [],
        paths: [file],
        skip: 0,
        limit: 30,
        count: false,
        files: false,
        stats: false,
      }),
      git: [["log", "-30", "--format=raw", head, "--", file]],
      factor: 1,
    },
    {
      label: `${merges.length} comparisons of branches`,
      ours: call("aheadBehind", { pairs: merges.map(([base, tip]) => ({ base, tip })) }),
      git: merges.map(([base, tip]) => ["rev-list", "--left-right", "--count", `${base}...${tip}`]),
      factor: 1,
    },
    {
      label: `${merges.length} merge bases`,
      ours: async (engine) => {
        for (const commits of merges) await engine.call(view, "mergeBases", { commits, mode: "all" });
      },
      git: merges.map((commits) => ["merge-base", "--all"].concat(commits)),
      factor: 1,
    },
    grep("search of a word", "fixed", "return"),
    grep("search by an expression", "regular", "[a-z]+_[a-z]+\\(.*\\);$"),
    {
      label: "tar of the last commit",
      ours: stream("archive", { format: "tar", treeish: head, prefix: "x/", paths: [], decorations: null }),
      git: [["archive", "--format=tar", "--prefix=x/", head]],
      factor: 1,
    },
  ];
}

/** `earlier`: what the worker has done before, besides counting the commits. */
async function timeOurs(task: Task, earlier: readonly Task[], view: RepositoryView, head: string): Promise<Time> {
  await using engine = new GitEngine({
    gitWorker: gitWorkerUrl,
    indexWorker: indexWorkerUrl,
    workers: 1,
    cacheBytes,
    log: silentLogger,
  });
  await engine.call(view, "log", {
    tips: [head],
    not: [],
    paths: [],
    skip: 0,
    limit: 1,
    count: true,
    files: false,
    stats: false,
  });
  for (const before of earlier) await before.ours(engine);
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  await task.ours(engine);
  const { user, system } = process.cpuUsage(cpu);
  return { wallMs: performance.now() - began, cpuMs: (user + system) / 1000 };
}

async function timeGit(path: string, { git: commands, factor }: Task): Promise<Time> {
  const began = performance.now();
  let cpuMs = 0;
  for (const command of commands) {
    const child = Bun.spawn(["git", "-C", path, ...command], {
      env: childEnvironment(),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "ignore",
    });
    await child.stdout.bytes();
    await child.exited;
    cpuMs += Number(child.resourceUsage()?.cpuTime.total ?? 0n) / 1000;
  }
  return { wallMs: (performance.now() - began) * factor, cpuMs: cpuMs * factor };
}

const history = await chooseHistory();
const packDirectory = join(history.path, "objects", "pack");
const packs = readdirSync(packDirectory)
  .filter((name) => name.endsWith(".pack"))
  .map((name) => join(packDirectory, name));
const view: RepositoryView = { key: "history:1", format: "sha1", packs };
const head = await git(history.path, "rev-parse", "HEAD");
const rounds = Number(values.rounds);
const rows: string[][] = [];
const firstCommits = await lines(history.path, "rev-list", "--first-parent", head);
const earlierTasks = await Promise.all(
  commitsApart.map((apart) => tasksOf(history.path, view, firstCommits[apart] ?? head)),
);
const medians = (times: readonly Time[]): Time => ({
  wallMs: median(times.map(({ wallMs }) => wallMs)),
  cpuMs: median(times.map(({ cpuMs }) => cpuMs)),
});
for (const [number, task] of (await tasksOf(history.path, view, head)).entries()) {
  if (!task.label.includes(values.only)) continue;
  const [firsts, ours, gits]: [Time[], Time[], Time[]] = [[], [], []];
  for (let round = 0; round < rounds; round++) {
    firsts.push(await timeOurs(task, [], view, head));
    ours.push(
      await timeOurs(
        task,
        earlierTasks.map((tasks) => tasks[number]!),
        view,
        head,
      ),
    );
    gits.push(await timeGit(history.path, task));
  }
  const [first, our, their] = [medians(firsts), medians(ours), medians(gits)];
  rows.push([
    task.label,
    ...[
      our.wallMs,
      their.wallMs,
      our.wallMs / their.wallMs,
      our.cpuMs,
      their.cpuMs,
      our.cpuMs / their.cpuMs,
      first.wallMs,
      first.cpuMs,
    ].map(figure),
  ]);
}
const output = [
  machineLine(await describeMachine()),
  `${history.name}: ${history.commits} commits; one worker with ${cacheBytes >> 20} MiB of caches; ${rounds} rounds, medians`,
  "",
  formatTable(
    ["task", "ours ms", "git ms", "ratio", "ours CPU ms", "git CPU ms", "ratio", "first ms", "first CPU ms"],
    rows,
  ),
].join("\n");
console.log(output);
if (values.write) {
  await writeResults("library", output);
}
