/** The fuzzer as a command: the engine's parsers against damaged input, as often as there is time for. `--help` says how. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { fuzz, FuzzFinding } from "./fuzz.ts";
import { fuzzTargets } from "./targets.ts";

const usage = `Usage: bun test/git/fuzz/main.ts [options]

  --runs N        for each target (default 10000)
  --seconds N     for each target, at most
  --seed N        where the random numbers start (default 1)
  --first N       the number of the first run, to repeat a finding
  --target NAMES  these only (comma-separated): ${Object.keys(fuzzTargets).join(" ")}
  --git-every N   ask git at every N-th input where that takes a process (default 100)
  --keep DIR      write what was found to this directory
`;

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "10000" },
    seconds: { type: "string" },
    seed: { type: "string", default: "1" },
    first: { type: "string", default: "0" },
    target: { type: "string", default: Object.keys(fuzzTargets).join(",") },
    "git-every": { type: "string", default: "100" },
    keep: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  console.log(usage);
  process.exit();
}

/** A thread of its own: an endless loop lets nothing else of this thread run. */
const watchdogSource = `
  let shared, text;
  let seen = -1, since = 0;
  onmessage = ({ data }) => { [shared, text] = data; seen = -1; };
  setInterval(() => {
    if (shared === undefined) return;
    const run = Atomics.load(shared, 0);
    if (run !== seen) { seen = run; since = performance.now(); }
    else if (performance.now() - since > 30_000) { console.error("HANG: " + text + " --first " + run); process.kill(process.pid, "SIGKILL"); }
  }, 1000);`;
const watchdog = new Worker(URL.createObjectURL(new Blob([watchdogSource])));
watchdog.unref();
const progress = new Int32Array(new SharedArrayBuffer(4));

const seed = Number(values.seed);
const chunk = 5000;
let findings = 0;
let total = 0;
for (const name of values.target.split(",")) {
  const make = fuzzTargets[name];
  if (make === undefined) {
    console.error(`There is no target "${name}"\n\n${usage}`);
    process.exit(2);
  }
  using target = make(Number(values["git-every"]));
  watchdog.postMessage([progress, `--target ${name} --seed ${seed}`], []);
  const from = performance.now();
  const counts = { runs: 0, taken: 0 };
  try {
    const last = Number(values.first) + Number(values.runs);
    for (let first = Number(values.first); first < last; first += chunk) {
      if (values.seconds !== undefined && performance.now() - from > Number(values.seconds) * 1000) {
        break;
      }
      const { runs, taken } = await fuzz(target, {
        runs: Math.min(chunk, last - first),
        seed,
        first,
        onRun: (run) => void Atomics.store(progress, 0, run),
      });
      counts.runs += runs;
      counts.taken += taken;
    }
  } catch (error) {
    if (!(error instanceof FuzzFinding)) {
      throw error;
    }
    findings++;
    console.error(`FOUND: ${error.message}\n${error.cause instanceof Error ? error.cause.stack : ""}`);
    if (values.keep !== undefined) {
      mkdirSync(join(values.keep, name), { recursive: true });
      writeFileSync(join(values.keep, name, `seed-${seed}-run-${error.run}`), error.input);
    }
  }
  total += counts.runs;
  const seconds = (performance.now() - from) / 1000;
  console.log(
    `${name.padEnd(14)} ${counts.runs} runs, ${counts.taken} taken, ${seconds.toFixed(1)} s, ${Math.round(process.memoryUsage.rss() / 1e6)} MB`,
  );
}
console.log(`${total} runs, ${findings} findings`);
process.exit(findings === 0 ? 0 : 1);
