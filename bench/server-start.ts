import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { treeMemory, type ProcessMemory } from "./support/process-tree.ts";
import { median } from "./support/statistics.ts";
import { startStithy } from "./support/stithy-server.ts";

export interface StartFigures {
  /** from the start of the process to the first answer with status 200, in milliseconds */
  fromNothingMs: number;
  withCacheMs: number;
  /** two seconds after the first answer, in bytes */
  server: ProcessMemory;
  /** with the database's processes */
  tree: ProcessMemory;
}

/** Starts the server with an empty cache directory and then with what the first start left there; medians. */
export async function measureStart(binary: string | null, rounds: number): Promise<StartFigures> {
  const fromNothing: number[] = [];
  const withCache: number[] = [];
  let memory: ReturnType<typeof treeMemory> | null = null;
  for (let round = 0; round < rounds; round++) {
    const cache = await mkdtemp(join(tmpdir(), "stithy-bench-cache-"));
    try {
      for (const times of [fromNothing, withCache]) {
        // As users start it: the database may be in memory.
        await using server = await startStithy(binary, { XDG_CACHE_HOME: cache, TMPDIR: tmpdir() });
        const asked = performance.now();
        const response = await fetch(`${server.url}/api/v1/version`);
        if (response.status !== 200) throw new Error(`The first answer has the status ${response.status}`);
        await response.text();
        times.push(server.readyMs + performance.now() - asked);
        if (times === withCache && round === rounds - 1) {
          await Bun.sleep(2000);
          memory = treeMemory(server.pid);
        }
      }
    } finally {
      await rm(cache, { recursive: true, force: true });
    }
  }
  if (!memory) throw new Error("At least one round is needed");
  return { fromNothingMs: median(fromNothing), withCacheMs: median(withCache), server: memory.self, tree: memory.tree };
}
