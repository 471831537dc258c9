/** `bun run bench:issues`: what lists of issues take with 2,000, 20,000 and 200,000 issues. See docs/benchmarks.md. */
import { fillForIssues, issueListCases } from "./issue-list-cases.ts";
import { runListBench } from "./support/list-bench.ts";
import { figure } from "./support/table.ts";

await runListBench({
  command: "bench:issues",
  noun: "issues",
  rounds: 200,
  users: ["root", "alice"],
  fill: fillForIssues,
  lists: () => issueListCases,
  legend: "median ms (server + database, processor ms)",
  cell: ({ p50Ms, serverMs, databaseMs }) => `${figure(p50Ms)} (${figure(serverMs)} + ${figure(databaseMs)})`,
});
