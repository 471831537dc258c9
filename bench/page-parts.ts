import type { Browser } from "playwright-core";
import { openContext } from "../test/support/browser.ts";
import { runsSource } from "../test/support/stithy.ts";
import { testPassword } from "../test/support/test-app.ts";
import type { WebServer } from "../test/support/web-server.ts";
import { WebVisitor } from "../test/support/web-visitor.ts";
import { measureIssueLists } from "./issue-page.ts";
import { makeLargeContent } from "./large-content.ts";
import { limits, type Budgets } from "./page-budgets.ts";
import type { Generator } from "./support/generator.ts";
import { loadWarm } from "./support/load.ts";
import { cpuOfServer, measureRequests, type RequestFigures } from "./support/measure-requests.ts";
import { median } from "./support/statistics.ts";
import { figure, formatTable } from "./support/table.ts";

interface Measuring {
  readonly server: WebServer;
  /** null: there is none on this machine. */
  readonly browser: Browser | null;
  readonly budgets: Budgets;
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  readonly generator: Generator;
}

const compressed = { "accept-encoding": "zstd, gzip" };
const user = "mara";

/** Pages to a stranger (null) and to somebody who is signed in. */
const pages = [
  { name: "front page", at: "/", as: null },
  { name: "repository", at: "/forge/stithy", as: null },
  { name: "directory", at: "/forge/stithy/src/branch/main/src", as: null },
  { name: "file", at: "/forge/stithy/src/branch/main/src/main.ts", as: null },
  { name: "commits", at: "/forge/stithy/commits/branch/main", as: null },
  { name: "branches", at: "/forge/stithy/branches", as: null },
  { name: "find a file", at: "/forge/stithy/find/branch/main", as: null },
  { name: "search in files", at: "/forge/stithy/search?q=database", as: null },
  { name: "issues", at: "/forge/stithy/issues", as: null },
  { name: "issue", at: "/forge/stithy/issues/1", as: null },
  { name: "explore", at: "/explore/repos", as: null },
  { name: "user", at: "/mara", as: null },
  { name: "dashboard", at: "/", as: user },
  { name: "repository", at: "/forge/stithy", as: user },
  { name: "issues", at: "/forge/stithy/issues", as: user },
  { name: "issue", at: "/forge/stithy/issues/1", as: user },
  { name: "pull requests", at: "/forge/stithy/pulls", as: user },
  { name: "pull request", at: "/forge/stithy/pulls/4", as: user },
  { name: "inbox", at: "/notifications", as: user },
  { name: "settings", at: "/user/settings", as: user },
] as const;

const cell = (value: number | null) => (value === null ? "-" : figure(value));

async function signIn(url: string): Promise<string> {
  const visitor = new WebVisitor(url);
  await visitor.signIn(user, testPassword);
  return visitor.cookie;
}

/** The bytes of an answer's body as they travel. */
async function bytesOf(url: string, headers: Readonly<Record<string, string>> = compressed): Promise<number> {
  return (await (await fetch(url, { headers, decompress: false })).arrayBuffer()).byteLength;
}

/** Asks for a page again and again so that it is made anew each time: the answer to a cookie of its own is not kept. */
function measureAnew({ server, rounds }: Measuring, at: string, cookie: string): Promise<RequestFigures> {
  const ask = (round: number) => {
    const headers = { ...compressed, cookie: cookie === "" ? `round=${round}` : `${cookie}; round=${round}` };
    return fetch(server.url + at, { headers, decompress: false });
  };
  return measureRequests(ask, rounds, cpuOfServer(server));
}

/** Style, script and icons. */
export async function measureAssets({ server: { url }, budgets }: Measuring): Promise<Record<string, number>> {
  const front = await (await fetch(url)).text();
  const assets = [
    { name: "style", pattern: /href="([^"]+\.css)"/, most: limits.style },
    { name: "script", pattern: /src="([^"]+\.js)"/, most: limits.script },
    { name: "icons", pattern: /href="([^"#]+\.svg)#/, most: Infinity },
  ];
  const sizes: Record<string, number> = {};
  for (const { name, pattern, most } of assets)
    sizes[name] = budgets.within(name, await bytesOf(url + (pattern.exec(front)?.[1] ?? "")), most);
  const rows = Object.entries(sizes).map(([name, bytes]) => [name, String(bytes)]);
  console.log(`\n${formatTable(["asset", "bytes on the wire"], rows)}`);
  return sizes;
}

/** Requests of a first visit and of the next one, and how much the page moved while it loaded. */
async function visit(browser: Browser, url: string, at: string, as: string | null) {
  const context = await openContext(browser, url, as);
  const page = await context.newPage();
  await page.addInitScript(
    "globalThis.shift = 0; new PerformanceObserver((list) => { for (const entry of list.getEntries()) globalThis.shift += entry.value; }).observe({ type: 'layout-shift', buffered: true })",
  );
  const requests = "1 + performance.getEntriesByType('resource').filter((one) => one.transferSize > 0).length";
  const open = async () => {
    await page.goto(url + at, { waitUntil: "load" });
    return page.evaluate<number>(requests);
  };
  const cold = await open();
  const shift = await page.evaluate<number>("globalThis.shift");
  const warm = await open();
  await context.close();
  return { cold, warm, shift };
}

/** What each page weighs, takes and loads. */
export async function measurePages(measuring: Measuring) {
  const { server, browser, budgets } = measuring;
  const session = await signIn(server.url);
  const figures = [];
  for (const { name, at, as } of pages) {
    const whose = `${name}${as === null ? "" : ", signed in"}`;
    const cookie = as === null ? "" : session;
    const html = budgets.within(
      `${whose}, HTML`,
      await bytesOf(server.url + at, { ...compressed, cookie }),
      limits.html,
    );
    const took = await measureAnew(measuring, at, cookie);
    budgets.within(`${whose}, first byte`, took.firstByteMs, limits.firstByteMs);
    const seen = browser === null ? null : await visit(browser, server.url, at, as);
    if (seen !== null) {
      budgets.within(`${whose}, requests of a first visit`, seen.cold, limits.cold);
      // The script has no hash in its name there, so that it is loaded each time.
      if (!runsSource) budgets.within(`${whose}, requests of the next visit`, seen.warm, limits.warm);
      budgets.within(`${whose}, layout shift`, seen.shift, limits.shift);
    }
    figures.push({ name: whose, html, ...took, ...seen });
  }
  const rows = figures.map(({ name, html, firstByteMs, serverMs, databaseMs, cold, warm, shift }) => [
    name,
    ...[html, firstByteMs, serverMs, databaseMs, cold ?? null, warm ?? null, shift ?? null].map(cell),
  ]);
  const heads = ["HTML, bytes", "first byte p50, ms", "server CPU", "database CPU", "requests cold", "warm", "shift"];
  console.log(`\n${formatTable(["page", ...heads], rows)}`);
  return figures;
}

/** How many pages the server answers in a second: to strangers, and to somebody who is signed in. */
export async function measureRates({ server: { url }, generator, connections, seconds, budgets }: Measuring) {
  const session = await signIn(url);
  const figures = [];
  for (const { name, at } of [
    { name: "repository", at: "/forge/stithy" },
    { name: "issue", at: "/forge/stithy/issues/1" },
  ]) {
    for (const cookie of [null, session]) {
      const headers = { ...compressed, ...(cookie === null ? {} : { cookie }) };
      const rate = await loadWarm(generator, { url: url + at, headers, status: 200 }, connections, seconds);
      if (cookie === null) budgets.atLeast(`${name}, a second`, rate.perSecond, limits.perSecond);
      figures.push({ name: `${name}${cookie === null ? "" : ", signed in"}`, ...rate });
    }
  }
  const rows = figures.map(({ name, perSecond, p50Ms, p99Ms }) => [name, ...[perSecond, p50Ms, p99Ms].map(cell)]);
  console.log(`\n${formatTable(["page", "a second", "p50, ms", "p99, ms"], rows)}`);
  return figures;
}

/** Milliseconds that a browser spends on style and layout while it loads a page, and the rows of the diff in it; medians. */
async function measureLayout(browser: Browser, url: string): Promise<{ ms: number; rows: number }> {
  const times: number[] = [];
  let rows = 0;
  for (let round = 0; round < 7; round++) {
    const context = await openContext(browser, url, null);
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send("Performance.enable");
    await page.goto(url, { waitUntil: "load" });
    const { metrics } = await session.send("Performance.getMetrics");
    const seconds = (name: string) => metrics.find((one) => one.name === name)?.value ?? Number.NaN;
    times.push(1000 * (seconds("LayoutDuration") + seconds("RecalcStyleDuration")));
    rows = await page.locator(".diff tr").count();
    await context.close();
  }
  return { ms: median(times), rows };
}

/** A long conversation, and a long diff. */
export async function measureLarge(measuring: Measuring) {
  const { server, browser, budgets } = measuring;
  const { conversation, files } = await makeLargeContent(server.clients.mara);
  const session = await signIn(server.url);
  const talk = await measureAnew(measuring, conversation, session);
  const diff = await measureAnew(measuring, files, session);
  budgets.within("conversation of 500 events, first byte", talk.firstByteMs, limits.conversationMs);
  budgets.within("files of 3,000 lines, first byte", diff.firstByteMs, limits.filesMs);
  const url = server.url + files;
  const rows = (await (await fetch(url)).text()).split("<tr").length - 1;
  const weights = {
    zstd: (await bytesOf(url)) / rows,
    gzip: (await bytesOf(url, { "accept-encoding": "gzip" })) / rows,
  };
  for (const [coding, bytes] of Object.entries(weights)) budgets.within(`a row, ${coding}`, bytes, limits.row);
  const layout = browser === null ? null : await measureLayout(browser, url);
  if (layout !== null) budgets.within(`style and layout of ${layout.rows} rows`, layout.ms, limits.layoutMs);
  const line = (name: string, { firstByteMs, serverMs, databaseMs }: RequestFigures) => [
    name,
    ...[firstByteMs, serverMs, databaseMs].map(cell),
  ];
  const lines = [line("conversation of 500 events", talk), line("files of 3,000 lines", diff)];
  console.log(`\n${formatTable(["page, signed in", "first byte p50, ms", "server CPU", "database CPU"], lines)}`);
  console.log(
    `A diff of ${rows} rows: ${cell(weights.zstd)} bytes a row with zstd, ${cell(weights.gzip)} with gzip; style and layout ${cell(layout?.ms ?? null)} ms`,
  );
  return { conversation: talk, files: diff, rows, weights, layout };
}

/** Lists of issues on a server that has many. */
export async function measureLongLists({
  issues,
  rounds,
  budgets,
}: Pick<Measuring, "rounds" | "budgets"> & { issues: number }) {
  const figures = await measureIssueLists(issues, rounds);
  for (const { name, firstByteMs } of figures)
    budgets.within(`${name}, ${issues} in all, first byte`, firstByteMs, limits.listMs);
  const rows = figures.map(({ name, ...took }) => [
    name,
    ...[took.firstByteMs, took.serverMs, took.databaseMs].map(cell),
  ]);
  const heads = ["first byte p50, ms", "server CPU", "database CPU"];
  console.log(`\n${formatTable([`list, with ${issues} issues on the server`, ...heads], rows)}`);
  return figures;
}
