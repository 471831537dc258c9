import { join } from "node:path";
import type { LoadJob, LoadResult } from "../load-generator.ts";
import { childEnvironment } from "./environment.ts";
import type { Generator } from "./generator.ts";
import { run } from "./run.ts";

/** One request that is repeated. */
export interface Target {
  /** absolute */
  url: string;
  headers: Readonly<Record<string, string>>;
  /** the only status that counts as an answer */
  status: number;
}

export interface LoadFigures {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
}

const generatorScript = join(import.meta.dir, "..", "load-generator.ts");

/** Sends one request over and over on some connections; throws when an answer has another status than expected. */
export async function load(
  generator: Generator,
  target: Target,
  connections: number,
  seconds: number,
): Promise<LoadFigures> {
  return generator === "wrk" ? loadWithWrk(target, connections, seconds) : loadBuiltin(target, connections, seconds);
}

/**
 * The same after an uncounted second, and after one request by itself: the first one may read what all others find in
 * memory, and takes longer than that on a busy machine.
 */
export async function loadWarm(
  generator: Generator,
  target: Target,
  connections: number,
  seconds: number,
): Promise<LoadFigures> {
  await (await fetch(target.url, { headers: target.headers })).arrayBuffer();
  await load(generator, target, connections, 1);
  return load(generator, target, connections, seconds);
}

async function loadBuiltin(target: Target, connections: number, seconds: number): Promise<LoadFigures> {
  const job = loadJob([target], connections, { seconds, rate: null });
  const result = JSON.parse((await run([process.execPath, generatorScript, JSON.stringify(job)])).stdout) as LoadResult;
  requireStatuses(result, [target.status]);
  return { perSecond: result.requests / result.seconds, p50Ms: result.p50Ms, p99Ms: result.p99Ms };
}

async function loadWithWrk(target: Target, connections: number, seconds: number): Promise<LoadFigures> {
  const headers = Object.entries(target.headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  const { stdout } = await run([
    "wrk",
    "-t1",
    `-c${connections}`,
    `-d${seconds}s`,
    "--latency",
    // A busy machine may take longer than its two seconds.
    "--timeout",
    "60s",
    ...headers,
    target.url,
  ]);
  const total = Number(/(\d+) requests in/.exec(stdout)?.[1] ?? 0);
  const refused = Number(/Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1] ?? 0);
  const right = target.status < 400 ? total - refused : refused;
  if (total === 0 || right !== total || stdout.includes("Socket errors")) {
    throw new Error(`${target.url} did not always answer with ${target.status}:\n${stdout}`);
  }
  return {
    perSecond: Number(/Requests\/sec: +([\d.]+)/.exec(stdout)?.[1]),
    p50Ms: wrkPercentile(stdout, 50),
    p99Ms: wrkPercentile(stdout, 99),
  };
}

function wrkPercentile(text: string, percent: number): number {
  const match = new RegExp(`^ +${percent}% +([\\d.]+)(us|ms|s)`, "m").exec(text);
  if (!match) throw new Error(`wrk printed no ${percent}th percentile:\n${text}`);
  const factor = { us: 0.001, ms: 1, s: 1000 }[match[2] ?? ""] ?? Number.NaN;
  return Number(match[1]) * factor;
}

/** Sends requests in turn at a fixed rate while `task` runs; what the requests saw, and what the task gave. */
export async function loadDuring<T>(
  targets: readonly Target[],
  rate: number,
  task: () => Promise<T>,
): Promise<{ result: LoadResult; value: T }> {
  const job = loadJob(targets, 8, { seconds: null, rate });
  const child = Bun.spawn([process.execPath, generatorScript, JSON.stringify(job)], {
    env: childEnvironment(),
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const output = child.stdout.text();
  try {
    const value = await task();
    await child.stdin.end();
    const result = JSON.parse(await output) as LoadResult;
    requireStatuses(
      result,
      targets.map(({ status }) => status),
    );
    return { result, value };
  } finally {
    child.kill();
    await child.exited;
  }
}

function loadJob(targets: readonly Target[], connections: number, how: Pick<LoadJob, "seconds" | "rate">): LoadJob {
  const [first] = targets;
  if (!first) throw new Error("There is nothing to request");
  const { hostname, port } = new URL(first.url);
  return { host: hostname, port: Number(port || 80), connections, requests: targets.map(requestText), ...how };
}

function requestText({ url, headers }: Target): string {
  const { host, pathname, search } = new URL(url);
  const lines = Object.entries({ Host: host, Accept: "*/*", ...headers }).map(([name, value]) => `${name}: ${value}`);
  return `GET ${pathname}${search} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`;
}

function requireStatuses(result: LoadResult, expected: readonly number[]): void {
  const others = Object.entries(result.statuses).filter(([status]) => !expected.includes(Number(status)));
  if (result.requests === 0 || others.length > 0) {
    throw new Error(
      `Answers had the statuses ${JSON.stringify(result.statuses)} instead of ${[...new Set(expected)].join(", ")} only`,
    );
  }
}
