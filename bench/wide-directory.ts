import type { StithyServer } from "./support/stithy-server.ts";
import { median } from "./support/statistics.ts";
import { wideDirectory, wideEntries } from "./wide-history.ts";

/** How long the listing of a directory of 1,000 entries takes, each with the commit that last changed it, ms. */
export interface WideDirectoryFigures {
  /** the first time, when the history has to be walked */
  firstMs: number;
  /** medians: again, and after a commit that changed one of the files */
  knownMs: number;
  movedMs: number;
}

const rounds = 15;

/** Measures it in a repository that nobody has looked at yet. */
export async function measureWideDirectory(
  { url, token }: StithyServer,
  repository: string,
): Promise<WideDirectoryFigures> {
  const api = `${url}/api/v1/repos/${repository}/contents/${wideDirectory}`;
  const headers = { Authorization: `token ${token}`, "Content-Type": "application/json" };
  const list = async (): Promise<number> => {
    const started = performance.now();
    const entries = (await (await fetch(api, { headers })).json()) as unknown[];
    if (entries.length !== wideEntries) throw new Error(`The directory has ${entries.length} entries`);
    return performance.now() - started;
  };
  const commit = async (number: number): Promise<void> => {
    const file = `${api}/file-${number}.txt`;
    const { sha } = (await (await fetch(file, { headers })).json()) as { sha: string };
    const body = JSON.stringify({ sha, content: btoa(`Again ${number}\n`) });
    const response = await fetch(file, { method: "PUT", headers, body });
    if (!response.ok) throw new Error(await response.text());
    await response.body?.cancel();
  };
  const firstMs = await list();
  const known: number[] = [];
  const moved: number[] = [];
  for (let round = 0; round < rounds; round++) known.push(await list());
  for (let round = 0; round < rounds; round++) {
    await commit(round);
    moved.push(await list());
  }
  return { firstMs, knownMs: median(known), movedMs: median(moved) };
}
