/** The parts of `bench/api.ts`: each measures something of a running server, prints it, and gives the figures back. */
import { apiCases } from "./api-targets.ts";
import { measureCodeSearch } from "./code-search.ts";
import { measureForks } from "./forks.ts";
import { describeSource, operate } from "./git-operations.ts";
import { histories } from "./histories.ts";
import { measureIssues } from "./issues.ts";
import { measurePulls } from "./pulls.ts";
import { measureReleaseFiles } from "./release-files.ts";
import { callsPerSecond, measureDuringPushes, measureRequests } from "./requests.ts";
import { measureStatuses } from "./statuses.ts";
import type { Generator } from "./support/generator.ts";
import type { StithyServer } from "./support/stithy-server.ts";
import { figure, formatTable } from "./support/table.ts";
import { measureWideDirectory } from "./wide-directory.ts";
import { wideEntries, wideHistory } from "./wide-history.ts";

export interface ApiRun {
  server: StithyServer;
  /** of the history that is asked for */
  history: string;
  generator: Generator;
  connections: number;
  seconds: number;
  issues: number;
  pullCommits: number;
  forkCommits: number;
}

export interface ApiPart {
  name: string;
  /** It asks for the repository with the pushed history. */
  needsHistory: boolean;
  measure(run: ApiRun): Promise<unknown>;
}

export const apiParts: readonly ApiPart[] = [
  { name: "requests", needsHistory: true, measure: requests },
  { name: "pushes", needsHistory: true, measure: duringPushes },
  { name: "releases", needsHistory: true, measure: releases },
  { name: "search", needsHistory: true, measure: search },
  { name: "statuses", needsHistory: true, measure: statuses },
  { name: "issues", needsHistory: false, measure: issues },
  { name: "pulls", needsHistory: false, measure: pulls },
  { name: "forks", needsHistory: false, measure: forks },
];

/** Pushes one of the known histories into a repository of its name. */
export async function pushHistory(server: StithyServer, name: string): Promise<void> {
  const history = (await histories(name === "hono" ? { packages: ["hono"], folder: false } : {})).find(
    (each) => each.name === name,
  );
  if (!history) throw new Error(`No history is named "${name}"`);
  const source = await describeSource(history);
  await operate("push", source, await server.createRepository(name, source.branch), "");
}

interface Rate {
  label: string;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
}

const printRates = (rows: readonly Rate[]): void =>
  console.log(
    formatTable(
      ["request", "requests/s", "p50 ms", "p99 ms"],
      rows.map((each) => [each.label, figure(each.perSecond), figure(each.p50Ms), figure(each.p99Ms)]),
    ),
  );

async function requests(run: ApiRun): Promise<unknown> {
  const { server, history } = run;
  const wide = await describeSource(await wideHistory());
  await operate("push", wide, await server.createRepository(wide.name, wide.branch), "");
  const directory = await measureWideDirectory(server, `root/${wide.name}`);
  console.log(
    `Directory of ${wideEntries} entries, ${wide.commits} commits: ${figure(directory.firstMs)} ms the first time, ${figure(directory.knownMs)} ms again, ${figure(directory.movedMs)} ms after a commit\n`,
  );
  const cases = apiCases(server.url, server.token, `root/${history}`, `root/${wide.name}`);
  const rows = await measureRequests(cases, run);
  console.log(
    formatTable(
      ["request", "credential", "requests/s", "p50 ms", "p99 ms"],
      rows.map((each) => [each.label, each.credential, figure(each.perSecond), figure(each.p50Ms), figure(each.p99Ms)]),
      2,
    ),
  );
  if (rows.length === cases.length) console.log("The repository's answer has no ETag: no figure for an unchanged one");
  return { directory, rows };
}

async function duringPushes({ server, history }: ApiRun): Promise<unknown> {
  const figures = await measureDuringPushes(server, `root/${history}`);
  console.log(
    `${callsPerSecond} calls a second while ${figures.pushes} pushes of ${figure(figures.bytes / 1e6)} MB come one by one (median ${figure(figures.ms)} ms each)`,
  );
  console.log(
    formatTable(
      ["latency", "calls", "p50 ms", "p99 ms", "max ms"],
      figures.rows.map((each) => [
        each.label,
        each.calls.toString(),
        figure(each.p50Ms),
        figure(each.p99Ms),
        figure(each.maxMs),
      ]),
    ),
  );
  return figures;
}

async function releases({ server, history }: ApiRun): Promise<unknown> {
  const files = await measureReleaseFiles(server, history);
  console.log(
    formatTable(
      ["a file of 500 MB of a release", "ms", "MB/s", "server RSS grows by MiB"],
      files.map((each) => [
        each.label,
        figure(each.ms),
        figure(each.bytesPerSecond / 1e6),
        Math.round(Math.max(0, each.grownBytes) / 1024 ** 2).toString(),
      ]),
    ),
  );
  return files;
}

async function search({ server, history }: ApiRun): Promise<unknown> {
  const searches = await measureCodeSearch(server, `root/${history}`);
  console.log(
    formatTable(
      ["search in files for", "files", "median ms", "max ms"],
      searches.map((each) => [each.label, each.files.toString(), figure(each.medianMs), figure(each.maxMs)]),
    ),
  );
  return searches;
}

async function statuses({ server, history }: ApiRun): Promise<unknown> {
  const figures = await measureStatuses(server, `root/${history}`);
  console.log(`${figure(figures.addedPerSecond)} statuses a second are added to one commit by 16 writers`);
  console.log(
    formatTable(
      ["median ms", "of a commit without", "of one with 10,000"],
      figures.rows.map((each) => [each.label, figure(each.noneMs), figure(each.manyMs)]),
    ),
  );
  return figures;
}

async function issues(run: ApiRun): Promise<unknown> {
  const figures = await measureIssues(run.server, run.issues, run);
  console.log(
    `${figures.issues} issues with ${figures.comments} comments in 200 repositories, of 1,000 users, are seeded in ${figure(figures.seededSeconds)} s`,
  );
  const { changed, unchanged } = figures.searchMs;
  printRates(figures.rows);
  console.log(
    `A search takes ${figure(unchanged)} ms, and ${figure(changed)} ms right after an issue was changed, when its matches are found again (medians)`,
  );
  return figures;
}

async function pulls(run: ApiRun): Promise<unknown> {
  const figures = await measurePulls(run.server, { commits: run.pullCommits, pulls: 500 }, run);
  console.log(
    `${figures.pulls} open pull requests of a history of ${figures.commits} commits: created in ${figure(figures.createMs)} ms, merged in ${figure(figures.mergeMs)} ms one after another, in ${figure(figures.mergeAtRestMs)} ms at rest (medians)`,
  );
  console.log(
    `A commit to their base takes ${figure(figures.staleMs)} ms, and all are worked out again after ${figure(figures.workedOutMs)} ms; beside it p99 of other requests is ${figure(figures.besideP99Ms)} ms`,
  );
  printRates(figures.rows);
  return figures;
}

async function forks({ server, forkCommits }: ApiRun): Promise<unknown> {
  const figures = await measureForks(server, forkCommits);
  console.log(
    formatTable(
      ["fork of", "MB", "median ms", "max ms"],
      figures.map((each) => [each.label, figure(each.bytes / 1e6), figure(each.medianMs), figure(each.maxMs)]),
    ),
  );
  return figures;
}
