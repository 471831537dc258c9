/** `bun run bench:api`: start, memory, requests a second and latency of the API. See docs/benchmarks.md. */
import { parseArgs } from "node:util";
import { apiCases, unchangedCase, type ApiCase } from "./api-targets.ts";
import { bigPushBody, sendPush } from "./big-push.ts";
import { measureCodeSearch } from "./code-search.ts";
import { describeSource, operate } from "./git-operations.ts";
import { measureForks, settingsForForks } from "./forks.ts";
import { measureIssues } from "./issues.ts";
import { histories } from "./histories.ts";
import { measurePulls } from "./pulls.ts";
import { measureStatuses } from "./statuses.ts";
import { load, loadDuring, type Generator } from "./support/load.ts";
import { describeMachine, machineLine } from "./support/machine.ts";
import { peakRss, treeMemory, type ProcessMemory } from "./support/process-tree.ts";
import { median } from "./support/statistics.ts";
import { startStithy, type StithyServer } from "./support/stithy-server.ts";
import { figure, formatTable } from "./support/table.ts";
import { measureReleaseFiles } from "./release-files.ts";
import { measureStart } from "./server-start.ts";
import { measureWideDirectory } from "./wide-directory.ts";
import { wideEntries, wideHistory } from "./wide-history.ts";
import { wholeNumber } from "./support/whole-number.ts";

const usage = `Usage: bun run bench:api [options]

  --binary FILE       measure this executable instead of the source (bun run build makes dist/stithy)
  --history NAME      the history that is pushed and asked for; needs README.md and LICENSE (default hono)
  --connections N     open connections (default 16)
  --seconds N         how long each request is repeated (default 3)
  --generator NAME    wrk or builtin (default: wrk where it is installed)
  --fork-commits N    commits of the generated history that is forked; 100,000 are 1 GB and made once (default 100000)
  --issues N          issues in 200 repositories, with five comments each (default 20000)
  --pull-commits N    commits of the generated history with 500 pull requests (default 25000)
  --skip-start        leave out time and memory of starts
  --json FILE         write the figures there, too
`;

const startRounds = 3;
const pushes = 5;
const callsPerSecond = 200;

interface CaseFigures {
  label: string;
  credential: string;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
}

interface LatencyFigures {
  label: string;
  calls: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
}

async function pushHistory(server: StithyServer, name: string): Promise<void> {
  const history = (await histories(name === "hono" ? { packages: ["hono"], folder: false } : {})).find(
    (each) => each.name === name,
  );
  if (!history) throw new Error(`No history is named "${name}"`);
  const source = await describeSource(history);
  await operate("push", source, await server.createRepository(name, source.branch), "");
}

async function measureCases(
  cases: readonly ApiCase[],
  generator: Generator,
  connections: number,
  seconds: number,
): Promise<CaseFigures[]> {
  const figures: CaseFigures[] = [];
  for (const each of cases) {
    await load(generator, each, connections, 1);
    figures.push({
      label: each.label,
      credential: each.credential,
      ...(await load(generator, each, connections, seconds)),
    });
  }
  return figures;
}

/** Latency of a steady trickle of calls while nothing else happens, and while large pushes are taken in one by one. */
async function measureDuringPushes(
  server: StithyServer,
  cases: readonly ApiCase[],
): Promise<{ rows: LatencyFigures[]; pushMs: number; pushBytes: number }> {
  const body = await bigPushBody();
  const targets = cases.filter(
    ({ credential, label }) => credential === "token" && ["user", "repository", "contents of a file"].includes(label),
  );
  const quiet = await loadDuring(targets, callsPerSecond, () => Bun.sleep(5000));
  const urls: string[] = [];
  for (let number = 1; number <= pushes; number++) urls.push(await server.createRepository(`big-${number}`, "main"));
  const busy = await loadDuring(targets, callsPerSecond, async () => {
    const times: number[] = [];
    for (const url of urls) times.push(await sendPush(url, body));
    return median(times);
  });
  const row = (label: string, { result }: typeof busy | typeof quiet): LatencyFigures => ({
    label,
    calls: result.requests,
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    maxMs: result.maxMs,
  });
  return { rows: [row("at rest", quiet), row("during pushes", busy)], pushMs: busy.value, pushBytes: body.length };
}

function mebibytes(bytes: number): string {
  return Math.round(bytes / 1024 ** 2).toString();
}

function memoryRow(label: string, { self, tree }: { self: ProcessMemory; tree: ProcessMemory }): string[] {
  return [label, mebibytes(self.rss), mebibytes(self.pss), mebibytes(tree.rss), mebibytes(tree.pss)];
}

const { values } = parseArgs({
  options: {
    binary: { type: "string" },
    history: { type: "string", default: "hono" },
    connections: { type: "string", default: "16" },
    seconds: { type: "string", default: "3" },
    generator: { type: "string", default: Bun.which("wrk") ? "wrk" : "builtin" },
    "fork-commits": { type: "string", default: "100000" },
    issues: { type: "string", default: "20000" },
    "pull-commits": { type: "string", default: "25000" },
    "skip-start": { type: "boolean", default: false },
    json: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  process.stdout.write(usage);
  process.exit(0);
}
if (values.generator !== "wrk" && values.generator !== "builtin")
  throw new Error(`--generator is wrk or builtin, not "${values.generator}"`);
const connections = wholeNumber("connections", values.connections);
const seconds = wholeNumber("seconds", values.seconds);
const forkCommits = wholeNumber("fork-commits", values["fork-commits"]);
const issueCount = wholeNumber("issues", values.issues);
const pullCommits = wholeNumber("pull-commits", values["pull-commits"]);
const binary = values.binary ?? null;
const machine = await describeMachine();

console.log(machineLine(machine));
console.log(
  `Server: ${binary ?? "bun src/main.ts"}; generator ${values.generator}, ${connections} connections, ${seconds} s a request\n`,
);

const start = values["skip-start"] ? null : await measureStart(binary, startRounds);
if (start)
  console.log(
    `First answer after start: ${figure(start.fromNothingMs)} ms from nothing, ${figure(start.withCacheMs)} ms with cache (medians of ${startRounds})\n`,
  );

await using server = await startStithy(binary, settingsForForks);
await pushHistory(server, values.history);
const wide = await describeSource(await wideHistory());
await operate("push", wide, await server.createRepository(wide.name, wide.branch), "");
const directory = await measureWideDirectory(server, `root/${wide.name}`);
console.log(
  `Directory of ${wideEntries} entries, ${wide.commits} commits: ${figure(directory.firstMs)} ms the first time, ${figure(directory.knownMs)} ms again, ${figure(directory.movedMs)} ms after a commit\n`,
);
const cases = apiCases(server.url, server.token, `root/${values.history}`, `root/${wide.name}`);
const repositoryCase = cases.find(({ label, credential }) => label === "repository" && credential === "token");
const unchanged = repositoryCase ? await unchangedCase(repositoryCase) : null;
const figures = await measureCases(
  [...cases, ...(unchanged ? [unchanged] : [])],
  values.generator,
  connections,
  seconds,
);
console.log(
  formatTable(
    ["request", "credential", "requests/s", "p50 ms", "p99 ms"],
    figures.map((each) => [
      each.label,
      each.credential,
      figure(each.perSecond),
      figure(each.p50Ms),
      figure(each.p99Ms),
    ]),
    2,
  ),
);
if (!unchanged) console.log("The repository's answer has no ETag: no figure for an unchanged one");
const afterLoad = treeMemory(server.pid);

const during = await measureDuringPushes(server, cases);
console.log(
  `\n${callsPerSecond} calls a second while ${pushes} pushes of ${figure(during.pushBytes / 1e6)} MB come one by one (median ${figure(during.pushMs)} ms each)`,
);
console.log(
  formatTable(
    ["latency", "calls", "p50 ms", "p99 ms", "max ms"],
    during.rows.map((each) => [
      each.label,
      each.calls.toString(),
      figure(each.p50Ms),
      figure(each.p99Ms),
      figure(each.maxMs),
    ]),
  ),
);

const afterPushes = treeMemory(server.pid);
const memoryRows = [memoryRow("after load", afterLoad), memoryRow("after pushes", afterPushes)];
if (start) memoryRows.unshift(memoryRow("after start", { self: start.server, tree: start.tree }));
console.log(
  `\n${formatTable(["memory in MiB", "server RSS", "server PSS", "with database RSS", "with database PSS"], memoryRows)}`,
);
const peak = peakRss(server.pid);
console.log(`Largest resident memory of the server process: ${Math.round(peak / 1024 ** 2)} MiB`);

const files = await measureReleaseFiles(server, values.history);
console.log(
  `\n${formatTable(
    ["a file of 500 MB of a release", "ms", "MB/s", "server RSS grows by MiB"],
    files.map((each) => [
      each.label,
      figure(each.ms),
      figure(each.bytesPerSecond / 1e6),
      mebibytes(Math.max(0, each.grownBytes)),
    ]),
  )}`,
);

const searches = await measureCodeSearch(server, `root/${values.history}`);
console.log(
  `\n${formatTable(
    ["search in files for", "files", "median ms", "max ms"],
    searches.map((each) => [each.label, each.files.toString(), figure(each.medianMs), figure(each.maxMs)]),
  )}`,
);

const statuses = await measureStatuses(server, `root/${values.history}`);
console.log(`\n${figure(statuses.addedPerSecond)} statuses a second are added to one commit by 16 writers`);
console.log(
  formatTable(
    ["median ms", "of a commit without", "of one with 10,000"],
    statuses.rows.map((each) => [each.label, figure(each.noneMs), figure(each.manyMs)]),
  ),
);

const issues = await measureIssues(server, issueCount, { generator: values.generator, connections, seconds });
console.log(
  `\n${issues.issues} issues with ${issues.comments} comments in 200 repositories, of 1,000 users, are seeded in ${figure(issues.seededSeconds)} s`,
);
console.log(
  formatTable(
    ["request", "requests/s", "p50 ms", "p99 ms"],
    issues.rows.map((each) => [each.label, figure(each.perSecond), figure(each.p50Ms), figure(each.p99Ms)]),
  ),
);

const pulls = await measurePulls(
  server,
  { commits: pullCommits, pulls: 500 },
  { generator: values.generator, connections, seconds },
);
console.log(
  `\n${pulls.pulls} open pull requests of a history of ${pulls.commits} commits: created in ${figure(pulls.createMs)} ms, merged in ${figure(pulls.mergeMs)} ms (medians)`,
);
console.log(
  `A commit to their base takes ${figure(pulls.staleMs)} ms, and all are worked out again after ${figure(pulls.workedOutMs)} ms; beside it p99 of other requests is ${figure(pulls.besideP99Ms)} ms`,
);
console.log(
  formatTable(
    ["request", "requests/s", "p50 ms", "p99 ms"],
    pulls.rows.map((each) => [each.label, figure(each.perSecond), figure(each.p50Ms), figure(each.p99Ms)]),
  ),
);

const forks = await measureForks(server, forkCommits);
console.log(
  `\n${formatTable(
    ["fork of", "MB", "median ms", "max ms"],
    forks.map((each) => [each.label, figure(each.bytes / 1e6), figure(each.medianMs), figure(each.maxMs)]),
  )}`,
);

if (values.json !== undefined) {
  const result = {
    machine,
    server: binary ?? "src/main.ts",
    generator: values.generator,
    connections,
    seconds,
    start,
    directory,
    requests: figures,
    duringPushes: during,
    releaseFiles: files,
    searches,
    statuses,
    issues,
    pulls,
    forks,
    memory: { afterLoad, afterPushes, peakRssBytes: peak },
  };
  await Bun.write(values.json, `${JSON.stringify(result, null, 2)}\n`);
}
