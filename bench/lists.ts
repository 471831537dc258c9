/** `bun run bench:lists`: how long lists take with 2,000, 20,000 and 200,000 repositories beside each other. See docs/benchmarks.md. */
import { fillForLists, listCases } from "./list-cases.ts";
import { runListBench } from "./support/list-bench.ts";
import { figure } from "./support/table.ts";

await runListBench({
  command: "bench:lists",
  noun: "repositories",
  rounds: 30,
  users: ["root", "alice", "nobody"],
  fill: fillForLists,
  lists: listCases,
  legend: "median (p90) ms",
  cell: ({ p50Ms, p90Ms }) => `${figure(p50Ms)} (${figure(p90Ms)})`,
});
