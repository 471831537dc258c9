import { join } from "node:path";
import { projectDirectory } from "./environment.ts";

/**
 * Puts what a benchmark printed between its two marks in docs/benchmarks.md, in place of what was there, or of what `merge`
 * leaves of it.
 */
export async function writeResults(
  benchmark: string,
  text: string,
  merge = (_before: string, now: string): string => now,
): Promise<void> {
  const path = join(projectDirectory, "docs", "benchmarks.md");
  const document = await Bun.file(path).text();
  const [begin, end] = [`<!-- ${benchmark}: begin -->\n`, `<!-- ${benchmark}: end -->`];
  const from = document.indexOf(begin);
  const to = document.indexOf(end);
  if (from === -1 || to < from) throw new Error(`"${path}" has no place for the results of ${benchmark}`);
  const before = document.slice(from + begin.length, to).replaceAll("```", "");
  await Bun.write(
    path,
    `${document.slice(0, from + begin.length)}\n\`\`\`\n${merge(before, text).trim()}\n\`\`\`\n\n${document.slice(to)}`,
  );
}
