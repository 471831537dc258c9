/**
 * A process of its own that asks a server for the given addresses every 50 ms each, whether or not earlier answers have
 * come. Once its standard input ends it waits for what is still due, and prints a JSON line with one entry an address:
 * `count`, `failures` (statuses other than 200, or messages), `p50`, `p99` and `max` in milliseconds.
 * It calls from an address of its own, so that it is another principal than an anonymous client at 127.0.0.1.
 */
import { Agent, get } from "node:http";
import { until } from "../support/until.ts";

const ownAddress = "127.0.0.2";
const agent = new Agent({ keepAlive: true });
const everyMs = 50;
const longestMs = 120_000;
/** How often each address is asked at least. */
const leastAsked = 10;

interface Seen {
  times: number[];
  failures: string[];
}

/** The status of an answer that was read to its end. */
function statusOf(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { agent, localAddress: ownAddress, signal: AbortSignal.timeout(longestMs) };
    const request = get(url, options, (answer) => {
      answer.on("error", reject);
      answer.on("end", () => resolve(answer.statusCode ?? 0));
      answer.resume();
    });
    request.on("error", reject);
  });
}

async function ask(url: string, seen: Seen): Promise<void> {
  const began = performance.now();
  try {
    const status = await statusOf(url);
    if (status !== 200) {
      seen.failures.push(String(status));
    }
  } catch (error) {
    seen.failures.push(String(error));
  }
  seen.times.push(performance.now() - began);
}

function summary({ times, failures }: Seen) {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (part: number) => Math.round(10 * (sorted[Math.ceil(part * sorted.length) - 1] ?? 0)) / 10;
  return { count: sorted.length, failures, p50: at(0.5), p99: at(0.99), max: at(1) };
}

/** What is measured, by address. */
export const probes = process.argv.slice(2).map((url) => ({ url, seen: { times: [], failures: [] } as Seen }));
// Connections are opened, and caches filled, before anything counts.
await Promise.all(probes.map(({ url }) => ask(url, { times: [], failures: [] })));
console.log("ready");
const due: Promise<void>[] = [];
const timer = setInterval(() => {
  for (const { url, seen } of probes) {
    due.push(ask(url, seen));
  }
}, everyMs);
for await (const _ of Bun.stdin.stream()) {
  // Nothing is said there: its end is.
}
// Also beside work that is over in a moment.
await until("there is enough to judge", () => due.length >= leastAsked * probes.length);
clearInterval(timer);
await Promise.all(due);
console.log(JSON.stringify(probes.map(({ seen }) => summary(seen))));
