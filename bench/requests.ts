import { apiCases, unchangedCase, type ApiCase } from "./api-targets.ts";
import { bigPushBody, sendPush } from "./big-push.ts";
import type { Generator } from "./support/generator.ts";
import { loadDuring, loadWarm } from "./support/load.ts";
import { median } from "./support/statistics.ts";
import type { StithyServer } from "./support/stithy-server.ts";

const pushes = 5;
export const callsPerSecond = 200;

export interface CaseFigures {
  label: string;
  credential: string;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
}

export interface LatencyFigures {
  label: string;
  calls: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
}

export interface PushFigures {
  pushes: number;
  bytes: number;
  /** of one push, the median */
  ms: number;
  rows: LatencyFigures[];
}

/** How many of each request are answered, and of the one whose answer the client has already, if answers say which they are. */
export async function measureRequests(
  cases: readonly ApiCase[],
  { generator, connections, seconds }: { generator: Generator; connections: number; seconds: number },
): Promise<CaseFigures[]> {
  const repository = cases.find(({ label, credential }) => label === "repository" && credential === "token");
  const unchanged = repository ? await unchangedCase(repository) : null;
  const figures: CaseFigures[] = [];
  for (const each of [...cases, ...(unchanged ? [unchanged] : [])]) {
    figures.push({
      label: each.label,
      credential: each.credential,
      ...(await loadWarm(generator, each, connections, seconds)),
    });
  }
  return figures;
}

/** Latency of a steady trickle of calls while nothing else happens, and while large pushes are taken in one by one. */
export async function measureDuringPushes(server: StithyServer, repository: string): Promise<PushFigures> {
  const body = await bigPushBody();
  const targets = apiCases(server.url, server.token, repository, repository).filter(
    ({ credential, label }) => credential === "token" && ["user", "repository", "contents of a file"].includes(label),
  );
  const quiet = await loadDuring(targets, callsPerSecond, () => Bun.sleep(5000));
  const urls: string[] = [];
  for (let number = 1; number <= pushes; number++) urls.push(await server.createRepository(`big-${number}`, "main"));
  const busy = await loadDuring(targets, callsPerSecond, async () => {
    const times: number[] = [];
    for (const url of urls) times.push(await sendPush(url, body));
    return median(times);
  });
  const row = (label: string, { result }: typeof busy | typeof quiet): LatencyFigures => ({
    label,
    calls: result.requests,
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    maxMs: result.maxMs,
  });
  return { pushes, bytes: body.length, ms: busy.value, rows: [row("at rest", quiet), row("during pushes", busy)] };
}
