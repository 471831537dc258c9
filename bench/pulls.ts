import { describeSource, operate } from "./git-operations.ts";
import { generatedHistory } from "./generated-history.ts";
import type { Generator } from "./support/generator.ts";
import { loadDuring, loadWarm, type LoadFigures } from "./support/load.ts";
import { median } from "./support/statistics.ts";
import type { StithyServer } from "./support/stithy-server.ts";

const merges = 20;
const callsPerSecond = 100;

export interface PullFigures {
  pulls: number;
  commits: number;
  createMs: number;
  /** one after another, while the others are stale */
  mergeMs: number;
  /** each when the jobs of the one before are done */
  mergeAtRestMs: number;
  /** of the commit to the base, which makes all of them stale */
  staleMs: number;
  /** of other requests while that is done, and while all are worked out again */
  besideP99Ms: number;
  workedOutMs: number;
  rows: ({ label: string } & LoadFigures)[];
}

/** Opens pull requests from branches of a generated history, and measures what is done with them. */
export async function measurePulls(
  server: StithyServer,
  { commits, pulls }: { commits: number; pulls: number },
  { generator, connections, seconds }: { generator: Generator; connections: number; seconds: number },
): Promise<PullFigures> {
  const source = await describeSource(await generatedHistory(commits));
  const name = `pulls-${commits}`;
  await operate("push", source, await server.createRepository(name, source.branch), "");
  const at = `/repos/root/${name}`;
  const headers = { Authorization: `token ${server.token}`, "Content-Type": "application/json" };
  const call = async (method: string, path: string, body: object): Promise<void> => {
    const response = await fetch(`${server.url}/api/v1${at}${path}`, {
      method,
      headers,
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  };
  const commit = (file: string, branch: string, from: string | null) =>
    call("POST", `/contents/${file}`, {
      content: btoa(`${file}\n`),
      message: `Add ${file}`,
      ...(from === null ? { branch } : { branch: from, new_branch: branch }),
    });
  /** Only an ephemeral server has this: it answers when all jobs are done, or when it has waited for long enough. */
  const rest = async (): Promise<void> => {
    for (let asked = 1; ; asked++) {
      const idle = await fetch(`${server.url}/api/internal/idle`, { method: "POST", headers });
      const text = await idle.text();
      if (idle.ok) return;
      if (asked === 20) throw new Error(text);
    }
  };
  const times: number[] = [];
  for (let number = 1; number <= pulls; number++) {
    await commit(`head-${number}.txt`, `head-${number}`, source.branch);
    const started = performance.now();
    await call("POST", "/pulls", { title: `Pull ${number}`, base: source.branch, head: `head-${number}` });
    times.push(performance.now() - started);
  }
  const rows: PullFigures["rows"] = [];
  for (const [label, path] of [
    ["50 pull requests", "/pulls?limit=50"],
    ["one pull request", "/pulls/1"],
    ["its files", "/pulls/1/files"],
  ] as const) {
    const target = { url: `${server.url}/api/v1${at}${path}`, headers, status: 200 };
    rows.push({ label, ...(await loadWarm(generator, target, connections, seconds)) });
  }
  const beside = { url: `${server.url}/api/v1/user`, headers, status: 200 };
  const { value, result } = await loadDuring([beside], callsPerSecond, async () => {
    const started = performance.now();
    await commit("base.txt", source.branch, null);
    const staleMs = performance.now() - started;
    await rest();
    return { staleMs, workedOutMs: performance.now() - started };
  });
  const merge = async (number: number): Promise<number> => {
    const started = performance.now();
    await call("POST", `/pulls/${number}/merge`, { Do: "merge" });
    return performance.now() - started;
  };
  const mergeTimes: number[] = [];
  for (let number = 1; number <= merges; number++) mergeTimes.push(await merge(number));
  const timesAtRest: number[] = [];
  for (let number = merges + 1; number <= 2 * merges; number++) {
    await rest();
    timesAtRest.push(await merge(number));
  }
  return {
    pulls,
    commits,
    createMs: median(times),
    mergeMs: median(mergeTimes),
    mergeAtRestMs: median(timesAtRest),
    ...value,
    besideP99Ms: result.p99Ms,
    rows,
  };
}
