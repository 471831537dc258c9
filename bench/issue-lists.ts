/** `bun run bench:issues`: what lists of issues take with 2,000, 20,000 and 200,000 issues. See docs/benchmarks.md. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import postgres from "postgres";
import { Type } from "typebox";
import { Value } from "typebox/value";
import { waitForRunning } from "../src/postgres/find-running.ts";
import { fillForIssues, issueListCases, type IssueListCase } from "./issue-list-cases.ts";
import { ChildServer } from "./support/child-server.ts";
import { projectDirectory } from "./support/environment.ts";
import { describeMachine, machineLine } from "./support/machine.ts";
import { processClock } from "./support/process-clock.ts";
import { treeCpu } from "./support/process-tree.ts";
import { median } from "./support/statistics.ts";
import { figure, formatTable } from "./support/table.ts";
import { wholeNumber } from "./support/whole-number.ts";

const usage = `Usage: bun run bench:issues [options]

  --binary FILE   measure this executable instead of the source
  --source DIR    measure the checkout in this directory, such as an older one
  --issues N      how many there are; may be repeated (default 2000, 20000, 200000)
  --rounds N      how often each list is asked for, one after the other (default 200)
  --only WORD     only lists whose name has this word
  --json FILE     write the figures there, too
`;

const { values } = parseArgs({
  options: {
    binary: { type: "string" },
    source: { type: "string" },
    issues: { type: "string", multiple: true, default: ["2000", "20000", "200000"] },
    rounds: { type: "string", default: "200" },
    only: { type: "string", default: "" },
    json: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  process.stdout.write(usage);
  process.exit(0);
}

const tokens = Type.Object({ tokens: Type.Object({ bench: Type.String() }) });
const readyLine = Type.Object({ url: Type.String(), data: Type.String(), users: Type.Object({ alice: tokens }) });
const token = { name: "bench", scopes: ["all"] };
const seed = {
  users: [
    { username: "root", admin: true, tokens: [token] },
    { username: "alice", tokens: [token] },
  ],
};

interface Figures {
  p50Ms: number;
  /** processor time of a request, of the server's own process and of PostgreSQL */
  serverMs: number;
  databaseMs: number;
  total: number;
}

async function measureCase(
  ask: (path: string) => Promise<Response>,
  { path }: IssueListCase,
  rounds: number,
  cpu: () => { server: number; database: number },
): Promise<Figures> {
  const times: number[] = [];
  let total = 0;
  const once = async () => {
    const began = performance.now();
    const response = await ask(path);
    await response.bytes();
    times.push(performance.now() - began);
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
    total = Number(response.headers.get("x-total-count") ?? 0);
  };
  // The first rounds prepare statements and compile.
  for (let round = 0; round < 30; round++) await once();
  times.length = 0;
  const before = cpu();
  for (let round = 0; round < rounds; round++) await once();
  const after = cpu();
  return {
    p50Ms: median(times),
    serverMs: (after.server - before.server) / rounds,
    databaseMs: (after.database - before.database) / rounds,
    total,
  };
}

async function measureSize(program: readonly string[], issues: number, rounds: number, only: string) {
  const options = ["serve", "--ephemeral", "--port", "0", "--seed", JSON.stringify(seed)];
  await using server = await ChildServer.start([...program, ...options], {
    // Filling takes longer than any request may.
    STITHY_DATABASE__STATEMENT_TIMEOUT_SECONDS: "3600",
  });
  const { url, data, users } = Value.Parse(readyLine, server.ready);
  const postgresDirectory = join(data, "postgres");
  const connection = await waitForRunning(postgresDirectory);
  const sql = postgres({ ...connection, max: 1, onnotice: () => {}, connection: { statement_timeout: 0 } });
  const began = performance.now();
  try {
    await fillForIssues(sql, issues);
  } finally {
    await sql.end();
  }
  const filledSeconds = (performance.now() - began) / 1000;
  const postmaster = Number(readFileSync(join(postgresDirectory, "cluster", "postmaster.pid"), "utf8").split("\n")[0]);
  const cpu = () => {
    const { self, descendants } = treeCpu(postmaster);
    return { server: processClock(server.pid), database: self + descendants };
  };
  const headers = { authorization: `token ${users.alice.tokens.bench}` };
  const ask = (path: string) => fetch(`${url.replace(/\/$/, "")}/api/v1${path}`, { headers });
  const found: Record<string, Figures> = {};
  for (const each of issueListCases) {
    if (each.label.includes(only)) found[each.label] = await measureCase(ask, each, rounds, cpu);
  }
  return { issues, filledSeconds, found };
}

const rounds = wholeNumber("rounds", values.rounds);
const program =
  values.binary === undefined
    ? [process.execPath, join(resolve(values.source ?? projectDirectory), "src", "main.ts")]
    : [resolve(values.binary)];
const machine = await describeMachine();
console.log(machineLine(machine));
console.log(`Server: ${values.binary ?? "bun src/main.ts"}; one client, ${rounds} rounds\n`);
const sizes: Awaited<ReturnType<typeof measureSize>>[] = [];
for (const given of values.issues) {
  const size = await measureSize(program, wholeNumber("issues", given), rounds, values.only);
  console.log(`${size.issues} issues made in ${figure(size.filledSeconds)} s`);
  sizes.push(size);
}
console.log("\nMedian ms, and in brackets processor time of server and database of a request in ms");
console.log(
  formatTable(
    ["list", ...sizes.map(({ issues }) => `${issues} issues`), "total"],
    Object.keys(sizes[0]?.found ?? {}).map((label) => {
      const cells = sizes.map(({ found }) => {
        const { p50Ms = NaN, serverMs = NaN, databaseMs = NaN } = found[label] ?? {};
        return `${figure(p50Ms)} (${figure(serverMs)} + ${figure(databaseMs)})`;
      });
      return [label].concat(cells, String(sizes.at(-1)?.found[label]?.total ?? "-"));
    }),
  ),
);
if (values.json !== undefined)
  await Bun.write(values.json, `${JSON.stringify({ machine, program, rounds, sizes }, null, 2)}\n`);
