/** `bun run bench:web`: what pages weigh, load and take, beside their budgets. See docs/benchmarks.md. */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Browser } from "playwright-core";
import { load, loadWarm, type Generator } from "./support/load.ts";
import { describeMachine, machineLine } from "./support/machine.ts";
import { percentile } from "./support/statistics.ts";
import { figure, formatTable } from "./support/table.ts";
import { wholeNumber } from "./support/whole-number.ts";

const usage = `Usage: bun run bench:web [options]

  --binary FILE       measure this executable instead of the source (bun run build makes dist/stithy)
  --seconds N         how long a page is asked for again and again (default 3)
  --connections N     open connections (default 16)
  --generator NAME    wrk or builtin (default: wrk where it is installed)
  --json FILE         write the figures there, too
`;

const { values } = parseArgs({
  options: {
    binary: { type: "string" },
    seconds: { type: "string", default: "3" },
    connections: { type: "string", default: "16" },
    generator: { type: "string", default: Bun.which("wrk") ? "wrk" : "builtin" },
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
const generator: Generator = values.generator;
const seconds = wholeNumber("seconds", values.seconds);
const connections = wholeNumber("connections", values.connections);
// Read where a test starts the program.
if (values.binary !== undefined) process.env["TEST_PROGRAM"] = resolve(values.binary);
const { findChromium, openContext, startBrowser } = await import("../test/support/browser.ts");
const { startWebServer } = await import("../test/support/web-server.ts");

/** What no page may exceed: bytes on the wire, requests, milliseconds; and the least number of pages a second. */
const budgets = {
  html: 30_000,
  style: 12_000,
  script: 15_000,
  cold: 4,
  warm: 1,
  shift: 0,
  firstByteMs: 15,
  perSecond: 1500,
};

const pages: readonly { name: string; at: string; perSecond?: true }[] = [
  { name: "front page", at: "/" },
  { name: "repository", at: "/forge/stithy", perSecond: true },
  { name: "file", at: "/forge/stithy/src/branch/main/src/main.ts" },
  { name: "commits", at: "/forge/stithy/commits/branch/main" },
  { name: "branches", at: "/forge/stithy/branches" },
  { name: "find a file", at: "/forge/stithy/find/branch/main" },
  { name: "search in files", at: "/forge/stithy/search?q=database" },
  { name: "explore", at: "/explore/repos" },
  { name: "user", at: "/mara" },
];
const firstByteRounds = 200;
const headers = { "accept-encoding": "zstd, gzip" };

const missed: string[] = [];
function within(what: string, value: number, most: number): number {
  if (value > most) missed.push(`${what}: ${figure(value)}, at most ${most}`);
  return value;
}

/** The bytes of an answer's body as they travel. */
async function bytesOf(url: string): Promise<number> {
  return (await (await fetch(url, { headers, decompress: false })).arrayBuffer()).byteLength;
}

async function firstByteMs(url: string): Promise<number> {
  const samples: number[] = [];
  for (let round = 0; round < firstByteRounds; round++) {
    const began = performance.now();
    const answer = await fetch(url, { headers, decompress: false });
    samples.push(performance.now() - began);
    await answer.arrayBuffer();
  }
  return percentile(
    samples.sort((a, b) => a - b),
    0.5,
  );
}

/** Requests of a first visit and of the next one, and how much the page moved while it loaded. */
async function visit(browser: Browser, url: string): Promise<{ cold: number; warm: number; shift: number }> {
  const context = await openContext(browser, url, null);
  const page = await context.newPage();
  await page.addInitScript(
    "globalThis.shift = 0; new PerformanceObserver((list) => { for (const entry of list.getEntries()) globalThis.shift += entry.value; }).observe({ type: 'layout-shift', buffered: true })",
  );
  const requests = "1 + performance.getEntriesByType('resource').filter((one) => one.transferSize > 0).length";
  const open = async () => {
    await page.goto(url, { waitUntil: "networkidle" });
    return page.evaluate<number>(requests);
  };
  const cold = await open();
  const shift = await page.evaluate<number>("globalThis.shift");
  const warm = await open();
  await context.close();
  return { cold, warm, shift };
}

const machine = await describeMachine();
console.log(machineLine(machine));
console.log(
  `Server: ${values.binary ?? "bun src/main.ts"}; generator ${generator}, ${connections} connections, ${seconds} s\n`,
);

await using server = await startWebServer();
const { url } = server;
const chromium = findChromium();
const browser = chromium === null ? null : await startBrowser(chromium);
if (browser === null) console.log("There is no chromium: requests and layout shift are left out\n");

const front = await (await fetch(url)).text();
const assets = [
  { name: "style", pattern: /href="([^"]+\.css)"/, most: budgets.style },
  { name: "script", pattern: /src="([^"]+\.js)"/, most: budgets.script },
  { name: "icons", pattern: /href="([^"#]+\.svg)#/, most: null },
];
const sizes: Record<string, number> = {};
for (const { name, pattern, most } of assets) {
  const bytes = await bytesOf(url + (pattern.exec(front)?.[1] ?? ""));
  sizes[name] = most === null ? bytes : within(name, bytes, most);
}
console.log(
  formatTable(
    ["asset", "bytes on the wire"],
    Object.entries(sizes).map(([name, bytes]) => [name, String(bytes)]),
  ),
);
console.log();

const figures: Record<string, unknown>[] = [];
for (const { name, at, perSecond } of pages) {
  const address = url + at;
  await load("builtin", { url: address, headers, status: 200 }, 2, 1);
  const html = within(`${name}, HTML`, await bytesOf(address), budgets.html);
  const ms = within(`${name}, first byte`, await firstByteMs(address), budgets.firstByteMs);
  const seen = browser === null ? null : await visit(browser, address);
  if (seen !== null) {
    within(`${name}, requests of a first visit`, seen.cold, budgets.cold);
    within(`${name}, requests of the next visit`, seen.warm, budgets.warm);
    within(`${name}, layout shift`, seen.shift, budgets.shift);
  }
  const rate =
    perSecond === true ? await loadWarm(generator, { url: address, headers, status: 200 }, connections, seconds) : null;
  if (rate !== null && rate.perSecond < budgets.perSecond)
    missed.push(`${name}: ${figure(rate.perSecond)} a second, at least ${budgets.perSecond}`);
  figures.push({ name, html, firstByteMs: ms, ...seen, perSecond: rate?.perSecond ?? null });
}
const cell = (value: unknown) => (typeof value === "number" ? figure(value) : "-");
console.log(
  formatTable(
    ["page", "HTML, bytes", "first byte p50, ms", "requests cold", "warm", "layout shift", "a second"],
    figures.map((row) => [
      String(row["name"]),
      ...["html", "firstByteMs", "cold", "warm", "shift", "perSecond"].map((key) => cell(row[key])),
    ]),
  ),
);
console.log(
  missed.length === 0 ? "\nAll budgets are kept" : `\nMissed budgets:\n${missed.map((one) => `- ${one}`).join("\n")}`,
);
await browser?.close();
if (values.json !== undefined) {
  await Bun.write(values.json, `${JSON.stringify({ machine, budgets, sizes, figures, missed }, null, 2)}\n`);
}
