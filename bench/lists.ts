/** `bun run bench:lists`: how long lists take with 2,000, 20,000 and 200,000 repositories beside each other. See docs/benchmarks.md. */
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import postgres from "postgres";
import { Type } from "typebox";
import { Value } from "typebox/value";
import { waitForRunning } from "../src/postgres/find-running.ts";
import { ChildServer } from "./support/child-server.ts";
import { projectDirectory } from "./support/environment.ts";
import { fillForLists, listCases, type ListCase } from "./list-cases.ts";
import { describeMachine, machineLine } from "./support/machine.ts";
import { median, percentile } from "./support/statistics.ts";
import { figure, formatTable } from "./support/table.ts";
import { wholeNumber } from "./support/whole-number.ts";

const usage = `Usage: bun run bench:lists [options]

  --binary FILE      measure this executable instead of the source
  --source DIR       measure the checkout in this directory, such as an older one
  --repositories N   how many there are; may be repeated (default 2000, 20000, 200000)
  --rounds N         how often each list is asked for, one after the other (default 30)
  --only WORD        only lists whose name has this word
  --json FILE        write the figures there, too
`;

const { values } = parseArgs({
  options: {
    binary: { type: "string" },
    source: { type: "string" },
    repositories: { type: "string", multiple: true, default: ["2000", "20000", "200000"] },
    rounds: { type: "string", default: "30" },
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
const readyLine = Type.Object({
  url: Type.String(),
  data: Type.String(),
  users: Type.Object({ root: tokens, alice: tokens, nobody: tokens }),
});
const token = { name: "bench", scopes: ["all"] };
const seed = {
  users: [
    { username: "root", admin: true, tokens: [token] },
    { username: "alice", tokens: [token] },
    { username: "nobody", tokens: [token] },
  ],
};

interface Figures {
  p50Ms: number;
  p90Ms: number;
  total: number;
}

async function measureCase(url: string, { path, token: used }: ListCase, rounds: number): Promise<Figures> {
  const times: number[] = [];
  let total = 0;
  // The first rounds prepare statements and compile.
  for (let round = -5; round < rounds; round++) {
    const began = performance.now();
    const response = await fetch(url + path, used === null ? {} : { headers: { authorization: `token ${used}` } });
    await response.bytes();
    if (round >= 0) times.push(performance.now() - began);
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
    total = Number(response.headers.get("x-total-count") ?? 0);
  }
  return {
    p50Ms: median(times),
    p90Ms: percentile(
      times.toSorted((a, b) => a - b),
      0.9,
    ),
    total,
  };
}

async function measureSize(program: readonly string[], repositories: number, rounds: number, only: string) {
  await using server = await ChildServer.start([
    ...program,
    "serve",
    "--ephemeral",
    "--port",
    "0",
    "--seed",
    JSON.stringify(seed),
  ]);
  const { url, data, users } = Value.Parse(readyLine, server.ready);
  const connection = await waitForRunning(join(data, "postgres"));
  const sql = postgres({ ...connection, max: 1, onnotice: () => {} });
  const began = performance.now();
  try {
    await fillForLists(sql, repositories);
  } finally {
    await sql.end();
  }
  const filledSeconds = (performance.now() - began) / 1000;
  const found: Record<string, Figures> = {};
  const named = { alice: users.alice.tokens.bench, nobody: users.nobody.tokens.bench, root: users.root.tokens.bench };
  for (const each of listCases(named, repositories)) {
    if (each.label.includes(only)) found[each.label] = await measureCase(url.replace(/\/$/, ""), each, rounds);
  }
  return { repositories, filledSeconds, found };
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
for (const given of values.repositories) {
  const size = await measureSize(program, wholeNumber("repositories", given), rounds, values.only);
  console.log(`${size.repositories} repositories made in ${figure(size.filledSeconds)} s`);
  sizes.push(size);
}
const labels = Object.keys(sizes[0]?.found ?? {});
console.log(
  `\n${formatTable(
    ["median (p90) ms", ...sizes.map(({ repositories }) => repositories.toString()), "total"],
    labels.map((label) => {
      const times = sizes.map(
        ({ found }) => `${figure(found[label]?.p50Ms ?? NaN)} (${figure(found[label]?.p90Ms ?? NaN)})`,
      );
      return [label].concat(times, String(sizes.at(-1)?.found[label]?.total ?? "-"));
    }),
  )}`,
);
if (values.json !== undefined)
  await Bun.write(values.json, `${JSON.stringify({ machine, program, rounds, sizes }, null, 2)}\n`);
