/** `bun run bench:write NAME < FILE`: keeps what a benchmark printed in `bench/results/`. */
import { writeResults } from "./support/results.ts";

const [name, ...rest] = process.argv.slice(2);
if (name === undefined || rest.length > 0) {
  throw new Error("Usage: bun run bench:write NAME < FILE, for example api");
}
await writeResults(name, await Bun.stdin.text());
