/** `bun run bench:write NAME < FILE`: puts what a benchmark printed into its place in docs/benchmarks.md. */
import { writeResults } from "./support/results-in-docs.ts";

const [name, ...rest] = process.argv.slice(2);
if (name === undefined || rest.length > 0) {
  throw new Error("Usage: bun run bench:write NAME < FILE, for example bench:api");
}
await writeResults(name, await Bun.stdin.text());
