import { mock } from "bun:test";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as workers from "../../src/workers.ts";

/** Where the run has put bundles of threads. */
export const threadsVariable = "TEST_THREADS";

const sources = join(import.meta.dir, "..", "..", "src");
const workersModule = join(sources, "workers.ts");

/** Those of which a test server starts two or three. */
const { gitWorkerUrl, indexWorkerUrl, textWorkerUrl } = workers;
const bundled = { gitWorkerUrl, indexWorkerUrl, textWorkerUrl };

/** Bundles threads into a directory, with their bytecode: to start one takes 25 ms of CPU instead of 70. */
export async function bundleThreads(directory: string): Promise<void> {
  await Bun.build({
    entrypoints: Object.values(bundled).map((url) => fileURLToPath(url)),
    root: sources,
    outdir: directory,
    target: "bun",
    // Bytecode takes that without an executable.
    format: "cjs",
    bytecode: true,
  });
}

/** Has this process start the threads that `bundleThreads` has put into a directory. */
export async function useBundledThreads(directory: string): Promise<void> {
  const urls = Object.entries(bundled).map(([name, url]) => {
    const path = relative(sources, fileURLToPath(url)).replace(/\.ts$/, ".js");
    return [name, pathToFileURL(join(directory, path))];
  });
  const replaced = { ...workers, ...Object.fromEntries(urls) };
  await mock.module(workersModule, () => replaced);
}
