import { bigPushBody, sendPush } from "./big-push.ts";
import { operate, type Source } from "./git-operations.ts";
import type { OurSide } from "./git-sides.ts";
import { fetchPacks } from "./parallel-clones.ts";
import { fetchPackOverSsh, type SshAccess } from "./ssh-client.ts";
import { loadDuring, type Target } from "./support/load.ts";
import { figure } from "./support/table.ts";

export interface CallsResult {
  label: string;
  calls: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
}

const callsPerSecond = 100;
const seconds = 5;
const pushes = 5;

/**
 * Latency of a steady trickle of API calls (the user and a repository, by turns) at rest, while one clone follows the other (over
 * HTTP, then over SSH), and while large pushes come one by one. The clients of git are such that they take little of the machine themselves.
 */
export async function callsBesideGit(
  source: Source,
  ours: OurSide,
  ssh: SshAccess,
  scratch: string,
): Promise<CallsResult[]> {
  const { server } = ours;
  const name = `${source.name}-beside`;
  const url = await ours.createRepository(name, source.branch);
  await operate("push", source, url, scratch);
  const headers = { Authorization: `token ${server.token}` };
  const targets: Target[] = ["/user", `/repos/root/${name}`].map((path) => ({
    url: `${server.url}/api/v1${path}`,
    headers,
    status: 200,
  }));
  const body = await bigPushBody();
  const pushUrls: string[] = [];
  for (let number = 1; number <= pushes; number++)
    pushUrls.push(await ours.createRepository(`beside-push-${number}`, "main"));

  const measure = async (label: string, task: () => Promise<unknown>): Promise<CallsResult> => {
    const { result } = await loadDuring(targets, callsPerSecond, task);
    return { label, calls: result.requests, p50Ms: result.p50Ms, p99Ms: result.p99Ms, maxMs: result.maxMs };
  };
  await measure("first", () => Bun.sleep(1000));
  return [
    await measure("at rest", () => Bun.sleep(seconds * 1000)),
    await measure("beside clones", () => repeatedly(() => fetchPacks(source, url, 1))),
    await measure("beside clones over SSH", () => repeatedly(() => fetchPackOverSsh(source, ssh, name))),
    await measure("beside pushes", async () => {
      for (const pushUrl of pushUrls) await sendPush(pushUrl, body);
    }),
  ];
}

async function repeatedly(clone: () => Promise<unknown>): Promise<void> {
  for (const end = performance.now() + seconds * 1000; performance.now() < end;) await clone();
}

export const callsHeader = ["API calls", "calls", "p50 ms", "p99 ms", "max ms"];

export function callsRow({ label, calls, p50Ms, p99Ms, maxMs }: CallsResult): string[] {
  return [label, calls.toString(), figure(p50Ms), figure(p99Ms), figure(maxMs)];
}
