/** `bun run bench:api`: start, memory, requests a second and latency of the API. See docs/benchmarks.md. */
import { parseArgs } from "node:util";
import { apiParts, pushHistory } from "./api-parts.ts";
import { settingsForForks } from "./forks.ts";
import { measureStart } from "./server-start.ts";
import { generatorOption, generatorUsage, readGenerator } from "./support/generator.ts";
import { describeMachine, machineLine } from "./support/machine.ts";
import { largestRssDuring, treeMemory, type TreeMemory } from "./support/process-tree.ts";
import { startStithy } from "./support/stithy-server.ts";
import { figure, formatTable } from "./support/table.ts";
import { wholeNumber } from "./support/whole-number.ts";

const partNames = ["start", ...apiParts.map(({ name }) => name)];

const usage = `Usage: bun run bench:api [options]

  --only PART,…       only these of ${partNames.join(", ")}
  --binary FILE       measure this executable instead of the source (bun run build makes dist/stithy)
  --history NAME      the history that is pushed and asked for; needs README.md and LICENSE (default hono)
  --connections N     open connections (default 16)
  --seconds N         how long each request is repeated (default 3)
${generatorUsage}
  --fork-commits N    commits of the generated history that is forked; 100,000 are 1 GB and made once (default 100000)
  --issues N          issues in 200 repositories, with five comments each (default 20000)
  --pull-commits N    commits of the generated history with 500 pull requests (default 25000)
  --no-rest           do not wait for a minute at the end to see how much memory is given back
  --json FILE         write the figures there, too
`;

const startRounds = 3;
const restSeconds = 60;

const { values } = parseArgs({
  options: {
    only: { type: "string", default: partNames.join(",") },
    binary: { type: "string" },
    history: { type: "string", default: "hono" },
    connections: { type: "string", default: "16" },
    seconds: { type: "string", default: "3" },
    generator: generatorOption,
    "fork-commits": { type: "string", default: "100000" },
    issues: { type: "string", default: "20000" },
    "pull-commits": { type: "string", default: "25000" },
    "no-rest": { type: "boolean", default: false },
    json: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  process.stdout.write(usage);
  process.exit(0);
}
const generator = readGenerator(values.generator);
const only = new Set(values.only.split(","));
for (const name of only)
  if (!partNames.includes(name)) throw new Error(`--only takes ${partNames.join(", ")}, not "${name}"`);
const parts = apiParts.filter(({ name }) => only.has(name));
const options = {
  history: values.history,
  generator,
  connections: wholeNumber("connections", values.connections),
  seconds: wholeNumber("seconds", values.seconds),
  issues: wholeNumber("issues", values.issues),
  pullCommits: wholeNumber("pull-commits", values["pull-commits"]),
  forkCommits: wholeNumber("fork-commits", values["fork-commits"]),
};
const binary = values.binary ?? null;
const machine = await describeMachine();

console.log(machineLine(machine));
console.log(
  `Server: ${binary ?? "bun src/main.ts"}; generator ${generator}, ${options.connections} connections, ${options.seconds} s a request\n`,
);

const figures: Record<string, unknown> = {};
const memory: { label: string; use: TreeMemory; largestRss: number | null }[] = [];

if (only.has("start")) {
  const start = await measureStart(binary, startRounds);
  figures["start"] = start;
  memory.push({ label: "start", use: { self: start.server, tree: start.tree }, largestRss: null });
  console.log(
    `First answer after start: ${figure(start.fromNothingMs)} ms from nothing, ${figure(start.withCacheMs)} ms with cache (medians of ${startRounds})\n`,
  );
}

if (parts.length > 0) {
  await using server = await startStithy(binary, settingsForForks);
  if (parts.some(({ needsHistory }) => needsHistory)) await pushHistory(server, options.history);
  for (const { name, measure } of parts) {
    const { value, rss } = await largestRssDuring(server.pid, () => measure({ server, ...options }));
    figures[name] = value;
    memory.push({ label: name, use: treeMemory(server.pid), largestRss: rss });
    console.log();
  }
  if (!values["no-rest"]) {
    await Bun.sleep(restSeconds * 1000);
    memory.push({ label: "one minute at rest", use: treeMemory(server.pid), largestRss: null });
  }
}

const mebibytes = (bytes: number | null): string => (bytes === null ? "-" : Math.round(bytes / 1024 ** 2).toString());
console.log(
  formatTable(
    ["memory in MiB after", "server RSS", "server PSS", "with database RSS", "with database PSS", "largest server RSS"],
    memory.map(({ label, use: { self, tree }, largestRss }) => [
      label,
      ...[self.rss, self.pss, tree.rss, tree.pss, largestRss].map(mebibytes),
    ]),
  ),
);

if (values.json !== undefined) {
  const result = { machine, server: binary ?? "src/main.ts", ...options, ...figures, memory };
  await Bun.write(values.json, `${JSON.stringify(result, null, 2)}\n`);
}
