/** `bun run bench:hooks`: deliveries to webhooks a second, and what hooks cost a push. See docs/benchmarks.md. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { describeMachine, machineLine } from "./support/machine.ts";
import { currentRss, peakRss, resetPeakRss } from "./support/process-tree.ts";
import { git, run } from "./support/run.ts";
import { median, percentile } from "./support/statistics.ts";
import { startStithy, type StithyServer } from "./support/stithy-server.ts";
import { figure, formatTable } from "./support/table.ts";
import { wholeNumber } from "./support/whole-number.ts";

const usage = `Usage: bun run bench:hooks [options]

  --binary FILE     measure this executable instead of the source
  --deliveries N    deliveries to hooks of one receiver (default 100000)
  --hooks N         hooks that they are divided among, at most 100 (default 100)
  --pushes N        pushes to each repository (default 40)
  --json FILE       write the figures there, too
`;

/** Requests at once that make events. */
const makersAtOnce = 8;
const hooksOfPush = 10;
/** Deliveries of one hook, which come one after the other. */
const ofOneHook = 5000;

const { values } = parseArgs({
  options: {
    binary: { type: "string" },
    deliveries: { type: "string", default: "100000" },
    hooks: { type: "string", default: "100" },
    pushes: { type: "string", default: "40" },
    json: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  process.stdout.write(usage);
  process.exit(0);
}

/** Answers at once, unless it is held, and counts what comes by path. */
class Counter implements Disposable {
  readonly counts = new Map<string, number>();
  /** Answers wait for it. */
  held: Promise<void> = Promise.resolve();
  #waiting: { path: string; least: number; resolve: () => void } | null = null;
  readonly #server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      await request.bytes();
      await this.held;
      const { pathname } = new URL(request.url);
      const count = (this.counts.get(pathname) ?? 0) + 1;
      this.counts.set(pathname, count);
      if (this.#waiting?.path === pathname && count >= this.#waiting.least) this.#waiting.resolve();
      return new Response("");
    },
  });

  url(path: string): string {
    return `http://127.0.0.1:${this.#server.port}${path}`;
  }

  /** Waits until so many have come to a path. */
  async until(path: string, least: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting = { path, least, resolve };
    if ((this.counts.get(path) ?? 0) < least) await promise;
  }

  [Symbol.dispose](): void {
    void this.#server.stop(true);
  }
}

async function post(server: StithyServer, path: string, body: object): Promise<void> {
  const response = await fetch(`${server.url}/api/v1/repos/root/${path}`, {
    method: "POST",
    headers: { authorization: `token ${server.token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (response.status !== 201) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  await response.bytes();
}

/** Makes a repository with hooks that lead to one path. */
async function makePlace(server: StithyServer, name: string, hooks: number, url: string): Promise<string> {
  const address = await server.createRepository(name, "main");
  for (let number = 0; number < hooks; number++) {
    await post(server, `${name}/hooks`, {
      type: "gitea",
      active: true,
      events: ["issues_only", "push"],
      config: { url, content_type: "json" },
    });
  }
  return address;
}

interface DrainFigures {
  label: string;
  deliveries: number;
  seconds: number;
  perSecond: number;
  /** Resident memory of the server in MiB, before the first and after each fifth of the deliveries. */
  memory: number[];
  peak: number;
}

const mebibytes = (bytes: number) => Math.round(bytes / 2 ** 20);

/** Opens so many issues that there are so many deliveries while the receiver answers nothing, then lets it answer. */
async function drain(server: StithyServer, counter: Counter, deliveries: number, hooks: number): Promise<DrainFigures> {
  const name = `drain-${hooks}`;
  const path = `/${name}`;
  await makePlace(server, name, hooks, counter.url(path));
  const events = Math.ceil(deliveries / hooks);
  const { promise, resolve } = Promise.withResolvers<void>();
  counter.held = promise;
  let made = 0;
  const makers = Array.from({ length: makersAtOnce }, async () => {
    while (made < events) await post(server, `${name}/issues`, { title: `Issue ${++made}`, body: "It is broken." });
  });
  await Promise.all(makers);
  resetPeakRss(server.pid);
  const memory = [mebibytes(currentRss(server.pid))];
  const began = performance.now();
  resolve();
  for (let fifth = 1; fifth <= 5; fifth++) {
    await counter.until(path, Math.floor((events * hooks * fifth) / 5));
    memory.push(mebibytes(currentRss(server.pid)));
  }
  const seconds = (performance.now() - began) / 1000;
  return {
    label: `${hooks} ${hooks === 1 ? "hook" : "hooks"}`,
    deliveries: events * hooks,
    seconds,
    perSecond: (events * hooks) / seconds,
    memory,
    peak: mebibytes(peakRss(server.pid)),
  };
}

/** Pushes one commit after the other, in turn to a repository with hooks and to one without. */
async function measurePushes(server: StithyServer, counter: Counter, pushes: number) {
  const directory = await mkdtemp(join(tmpdir(), "stithy-bench-hooks-"));
  try {
    const sides = await Promise.all(
      [0, hooksOfPush].map(async (hooks) => {
        const url = await makePlace(server, `push-${hooks}`, hooks, counter.url("/push"));
        const work = join(directory, `work-${hooks}`);
        await run(["git", "init", "-q", "-b", "main", work]);
        return { hooks, url, work, times: [] as number[] };
      }),
    );
    for (let number = -5; number < pushes; number++) {
      for (const { url, work, times } of number % 2 === 0 ? sides : sides.toReversed()) {
        await git(
          work,
          "-c",
          "user.name=b",
          "-c",
          "user.email=b@example.com",
          "commit",
          "-q",
          "--allow-empty",
          "-m",
          `Commit ${number}`,
        );
        const { wallMs } = await run(["git", "-C", work, "push", "-q", url, "main"]);
        // The first ones compile, and prepare statements.
        if (number >= 0) times.push(wallMs);
      }
    }
    return sides.map(({ hooks, times }) => ({
      hooks,
      medianMs: median(times),
      p90Ms: percentile(
        times.toSorted((a, b) => a - b),
        0.9,
      ),
    }));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const deliveries = wholeNumber("deliveries", values.deliveries);
const hooks = wholeNumber("hooks", values.hooks);
const pushes = wholeNumber("pushes", values.pushes);
const machine = await describeMachine();
console.log(machineLine(machine));
console.log(`Server: ${values.binary ?? "bun src/main.ts"}; the receiver is on the same machine\n`);
using counter = new Counter();
await using server = await startStithy(values.binary ?? null, {
  // Longer than it takes to make all events.
  STITHY_WEBHOOKS__TIMEOUT_SECONDS: "300",
});
const push = await measurePushes(server, counter, pushes);
console.log(
  `${formatTable(
    ["push of a commit", "pushes", "median ms", "p90 ms"],
    push.map((row) => [`${row.hooks} hooks`, String(pushes), figure(row.medianMs), figure(row.p90Ms)]),
  )}\n`,
);
const drained: DrainFigures[] = [];
for (const [count, divided] of [
  [Math.min(ofOneHook, deliveries), 1],
  [deliveries, hooks],
] as const) {
  drained.push(await drain(server, counter, count, divided));
}
console.log(
  formatTable(
    ["deliveries to one receiver", "deliveries", "seconds", "a second", "server MiB after each fifth", "peak MiB"],
    drained.map((row) => [
      row.label,
      String(row.deliveries),
      figure(row.seconds),
      figure(row.perSecond),
      row.memory.join(" "),
      String(row.peak),
    ]),
  ),
);
if (values.json !== undefined) await Bun.write(values.json, JSON.stringify({ machine, push, drained }, null, 2));
