import { rm } from "node:fs/promises";
import { join } from "node:path";
import { pushBody, sendPush } from "./big-push.ts";
import { describeSource, operate } from "./git-operations.ts";
import { generatedHistory } from "./generated-history.ts";
import { generateRefs } from "./many-refs.ts";
import { cacheDirectory } from "./support/environment.ts";
import { git } from "./support/run.ts";
import { median } from "./support/statistics.ts";
import type { StithyServer } from "./support/stithy-server.ts";

const rounds = 7;
const refCount = 100_000;

/** How long it takes until a fork is answered, ms. */
export interface ForkFigures {
  label: string;
  /** of its packs */
  bytes: number;
  medianMs: number;
  maxMs: number;
}

/** Pushing so many refs at once is more than the server takes by its defaults. */
export const settingsForForks = { STITHY_GIT__REFS_PER_PUSH: String(2 * refCount) };

/** Forks the generated history of so many commits, and a repository of 100,000 branches, several times each. */
export async function measureForks(server: StithyServer, commits: number): Promise<ForkFigures[]> {
  const history = await generatedHistory(commits);
  const source = await describeSource(history);
  await operate("push", source, await server.createRepository(history.name, source.branch), "");
  const large = await forkAgainAndAgain(server, history.name);

  const path = join(cacheDirectory, `many-refs-${process.pid}.tmp.git`);
  try {
    await generateRefs(path, refCount);
    const refs = await git(path, "for-each-ref", "--format=%(objectname) %(refname)");
    await sendPush(await server.createRepository("many-branches", "main"), await pushBody(path, refs));
  } finally {
    await rm(path, { recursive: true, force: true });
  }
  const wide = await forkAgainAndAgain(server, "many-branches");
  return [
    { label: `${commits} commits`, ...large },
    { label: `${refCount} branches`, ...wide },
  ];
}

/** An owner has one fork of a repository, so each goes into an organization of its own. */
async function forkAgainAndAgain({ url, token }: StithyServer, name: string): Promise<Omit<ForkFigures, "label">> {
  const headers = { Authorization: `token ${token}`, "Content-Type": "application/json" };
  const post = async (path: string, body: object): Promise<{ size: number }> => {
    const response = await fetch(`${url}/api/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as { size: number };
  };
  const times: number[] = [];
  let bytes = 0;
  for (let round = 0; round < rounds; round++) {
    const organization = `forks-${name}-${round}`;
    await post("/orgs", { username: organization });
    const started = performance.now();
    const { size } = await post(`/repos/root/${name}/forks`, { organization });
    times.push(performance.now() - started);
    bytes = size * 1024;
  }
  return { bytes, medianMs: median(times), maxMs: Math.max(...times) };
}
