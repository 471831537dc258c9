import { join } from "node:path";
import { projectDirectory } from "./environment.ts";

/** Replaces the kept results of a benchmark, such as "api", in `bench/results/` by these, or by what `merge` makes of both. */
export async function writeResults(
  benchmark: string,
  text: string,
  merge = (_before: string, now: string): string => now,
): Promise<void> {
  const file = Bun.file(join(projectDirectory, "bench", "results", `${benchmark}.txt`));
  const before = (await file.exists()) ? await file.text() : "";
  await file.write(`${merge(before, text).trim()}\n`);
}
