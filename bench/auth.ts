/** `bun run bench:auth`: requests a second with each credential, and what a wrong password tells. See docs/benchmarks.md. */
import { parseArgs } from "node:util";
import { WebVisitor } from "../test/support/web-visitor.ts";
import { generatorOption, generatorUsage, readGenerator } from "./support/generator.ts";
import { load, type Target } from "./support/load.ts";
import { describeMachine, machineLine } from "./support/machine.ts";
import { writeResults } from "./support/results.ts";
import { median, percentile } from "./support/statistics.ts";
import { startStithy, type StithyServer } from "./support/stithy-server.ts";
import { figure, formatTable } from "./support/table.ts";
import { wholeNumber } from "./support/whole-number.ts";

const usage = `Usage: bun run bench:auth [options]

  --binary FILE       measure this executable instead of the source (bun run build makes dist/stithy)
  --connections N     open connections (default 16)
  --seconds N         how long each request is repeated (default 3)
  --tries N           wrong passwords for a user and for nobody, each (default 200)
${generatorUsage}
  --write             keep the figures in bench/results/
`;

/** How far the two times may be apart. */
const tolerance = 0.1;
const unlimited = {
  STITHY_AUTH__FAILED_SIGN_INS_PER_MINUTE: "100000",
  STITHY_AUTH__FAILED_SIGN_INS_PER_ACCOUNT: "100000",
};

function basic(name: string, password: string): string {
  return `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`;
}

async function sessionCookie({ url, password }: StithyServer): Promise<string> {
  const browser = new WebVisitor(url);
  const { status } = await browser.signIn("root", password);
  if (status !== 303) throw new Error(`The page for signing in answered ${status}`);
  return browser.cookie;
}

async function cases(server: StithyServer): Promise<[label: string, target: Target][]> {
  const { url, token, password } = server;
  const [api, page] = [`${url}/api/v1/user`, `${url}/`];
  const cookie = await sessionCookie(server);
  return [
    ["GET /user, token", { url: api, headers: { Authorization: `token ${token}` }, status: 200 }],
    ["GET /user, Basic with the token", { url: api, headers: { Authorization: basic("root", token) }, status: 200 }],
    [
      "GET /user, Basic with the password",
      { url: api, headers: { Authorization: basic("root", password) }, status: 200 },
    ],
    ["GET /user, nobody (401)", { url: api, headers: {}, status: 401 }],
    ["GET / (page), session", { url: page, headers: { Cookie: cookie }, status: 200 }],
    ["GET / (page), nobody", { url: page, headers: {}, status: 200 }],
  ];
}

/** Milliseconds until a wrong password is refused, for a user and for a name that nobody has, taken in turn. */
async function timeRefusals(url: string, tries: number): Promise<{ user: number[]; nobody: number[] }> {
  const times: { user: number[]; nobody: number[] } = { user: [], nobody: [] };
  const names = { user: "root", nobody: "toor" };
  const refuse = async (who: keyof typeof names, attempt: number) => {
    const authorization = basic(names[who], `wrong password ${attempt}`);
    const began = performance.now();
    const { status } = await fetch(`${url}/api/v1/user`, { headers: { authorization } });
    times[who].push(performance.now() - began);
    if (status !== 401) throw new Error(`A wrong password was answered with ${status}`);
  };
  for (let attempt = 0; attempt < tries; attempt++) {
    // Neither is always the first, so that whatever comes regularly meets both.
    for (const who of attempt % 2 === 0 ? (["user", "nobody"] as const) : (["nobody", "user"] as const)) {
      await refuse(who, attempt);
    }
  }
  return times;
}

function tenth(times: number[]): number {
  return percentile(
    times.toSorted((a, b) => a - b),
    0.1,
  );
}

const { values } = parseArgs({
  options: {
    binary: { type: "string" },
    connections: { type: "string", default: "16" },
    seconds: { type: "string", default: "3" },
    tries: { type: "string", default: "200" },
    generator: generatorOption,
    write: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  process.stdout.write(usage);
  process.exit(0);
}
const generator = readGenerator(values.generator);
const connections = wholeNumber("connections", values.connections);
const seconds = wholeNumber("seconds", values.seconds);
const tries = wholeNumber("tries", values.tries);
const binary = values.binary ?? null;

await using server = await startStithy(binary, unlimited);
const rows: string[][] = [];
for (const [label, target] of await cases(server)) {
  await load(generator, target, connections, 1);
  const { perSecond, p50Ms, p99Ms } = await load(generator, target, connections, seconds);
  rows.push([label, figure(perSecond), figure(p50Ms), figure(p99Ms)]);
}
await timeRefusals(server.url, 10);
const times = await timeRefusals(server.url, tries);
const [user, nobody] = [median(times.user), median(times.nobody)];
const ratio = user / nobody;
// What else the machine does disturbs the fastest tries least.
const [fastUser, fastNobody] = [tenth(times.user), tenth(times.nobody)];
const output = [
  machineLine(await describeMachine()),
  `Server: ${binary ?? "bun src/main.ts"}; generator ${generator}, ${connections} connections, ${seconds} s a request`,
  "",
  formatTable(["request, credential", "requests/s", "p50 ms", "p99 ms"], rows),
  "",
  `A wrong password, ${tries} tries each in turn: ${user.toFixed(2)} ms for a user, ${nobody.toFixed(2)} ms for nobody (medians)`,
  `The fastest tenth of them ends at ${fastUser.toFixed(2)} and ${fastNobody.toFixed(2)} ms: ratio ${(fastUser / fastNobody).toFixed(3)}`,
  `Ratio of the medians ${ratio.toFixed(3)}; the aim is 1 ± ${tolerance}: ${Math.abs(ratio - 1) <= tolerance ? "met" : "MISSED"}`,
].join("\n");
console.log(output);
if (values.write) {
  await writeResults("auth", output);
}
if (Math.abs(ratio - 1) > tolerance) {
  process.exitCode = 1;
}
