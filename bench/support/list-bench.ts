import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import postgres from "postgres";
import { Type } from "typebox";
import { Value } from "typebox/value";
import { findRunning } from "../../src/postgres/find-running.ts";
import { ChildServer } from "./child-server.ts";
import { projectDirectory } from "./environment.ts";
import { describeMachine, machineLine } from "./machine.ts";
import { cpuOfServer, measureRequests, type RequestFigures } from "./measure-requests.ts";
import { figure, formatTable } from "./table.ts";
import { wholeNumber } from "./whole-number.ts";

/** A list in one row of the table. */
export interface MeasuredList {
  readonly label: string;
  readonly path: string;
  /** Whose token it is asked for with; null: without a credential. */
  readonly user: string | null;
}

/** What a list takes, and how long it is. */
export interface ListFigures extends RequestFigures {
  readonly total: number;
}

/** A benchmark of lists at several sizes beside each other. */
export interface ListBench {
  /** Such as `bench:lists`. */
  readonly command: string;
  /** What there are more of at each size; the option that says how many has this name. */
  readonly noun: string;
  /** How often each list is asked for, if the command does not say. */
  readonly rounds: number;
  /** Each has a token; `root` is an administrator. */
  readonly users: readonly string[];
  readonly fill: (sql: postgres.Sql, size: number) => Promise<void>;
  readonly lists: (size: number) => readonly MeasuredList[];
  /** What a cell of the table has, and how it is written. */
  readonly legend: string;
  readonly cell: (figures: ListFigures) => string;
}

const usageOf = ({ command, noun, rounds }: ListBench) => `Usage: bun run ${command} [options]

  --binary FILE     measure this executable instead of the source
  --source DIR      measure the checkout in this directory, such as an older one
  ${`--${noun} N`.padEnd(16)}  how many there are; may be repeated (default ${defaultSizes.join(", ")})
  --rounds N        how often each list is asked for, one after the other (default ${rounds})
  --only WORD       only lists whose name has this word
  --json FILE       write the figures there, too
`;

const defaultSizes = ["2000", "20000", "200000"];
const readyLine = Type.Object({
  url: Type.String(),
  data: Type.String(),
  users: Type.Record(Type.String(), Type.Object({ tokens: Type.Object({ bench: Type.String() }) })),
});

/** Runs a benchmark of lists as its command line says, and prints a table. */
export async function runListBench(bench: ListBench): Promise<void> {
  const { values } = parseArgs({
    options: {
      binary: { type: "string" },
      source: { type: "string" },
      [bench.noun]: { type: "string", multiple: true, default: defaultSizes },
      rounds: { type: "string", default: String(bench.rounds) },
      only: { type: "string", default: "" },
      json: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usageOf(bench));
    return;
  }
  const rounds = wholeNumber("rounds", values.rounds);
  const main = join(resolve(values.source ?? projectDirectory), "src", "main.ts");
  const program = values.binary === undefined ? [process.execPath, main] : [resolve(values.binary)];
  const shown = values.binary ?? `bun ${values.source === undefined ? "src/main.ts" : main}`;
  const machine = await describeMachine();
  console.log(machineLine(machine));
  console.log(`Server: ${shown}; one client, ${rounds} rounds\n`);
  const sizes: Awaited<ReturnType<typeof measureSize>>[] = [];
  for (const given of values[bench.noun] as string[]) {
    const measured = await measureSize(bench, program, wholeNumber(bench.noun, given), { rounds, only: values.only });
    console.log(`${measured.size} ${bench.noun} made in ${figure(measured.filledSeconds)} s`);
    sizes.push(measured);
  }
  const table = formatTable(
    [bench.legend, ...sizes.map(({ size }) => String(size)), "total"],
    Object.keys(sizes[0]?.found ?? {}).map((label) => {
      const cells = sizes.map(({ found }) => (found[label] === undefined ? "-" : bench.cell(found[label])));
      return [label].concat(cells, String(sizes.at(-1)?.found[label]?.total ?? "-"));
    }),
  );
  console.log(`\n${table}`);
  if (values.json !== undefined) {
    await Bun.write(values.json, `${JSON.stringify({ machine, program, rounds, sizes }, null, 2)}\n`);
  }
}

async function measureSize(
  { users, fill, lists }: ListBench,
  program: readonly string[],
  size: number,
  { rounds, only }: { rounds: number; only: string },
) {
  const tokens = [{ name: "bench", scopes: ["all"] }];
  const seed = { users: users.map((username) => ({ username, admin: username === "root", tokens })) };
  const options = ["serve", "--ephemeral", "--port", "0", "--seed", JSON.stringify(seed)];
  await using server = await ChildServer.start([...program, ...options], {
    // Filling takes longer than any request may.
    STITHY_DATABASE__STATEMENT_TIMEOUT_SECONDS: "3600",
  });
  const ready = Value.Parse(readyLine, server.ready);
  const directory = join(ready.data, "postgres");
  const connection = await findRunning(directory);
  const sql = postgres({ ...connection, max: 1, onnotice: () => {}, connection: { statement_timeout: 0 } });
  const began = performance.now();
  try {
    await fill(sql, size);
  } finally {
    await sql.end();
  }
  const filledSeconds = (performance.now() - began) / 1000;
  const cpu = cpuOfServer({ pid: server.pid, data: ready.data });
  const found: Record<string, ListFigures> = {};
  for (const { label, path, user } of lists(size).filter((list) => list.label.includes(only))) {
    const token = user === null ? undefined : ready.users[user]?.tokens.bench;
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `token ${token}` };
    let total = 0;
    const ask = async () => {
      const response = await fetch(`${ready.url.replace(/\/$/, "")}${path}`, { headers });
      total = Number(response.headers.get("x-total-count") ?? 0);
      return response;
    };
    found[label] = { ...(await measureRequests(ask, rounds, cpu)), total };
  }
  return { size, filledSeconds, found };
}
