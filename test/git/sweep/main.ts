/** `bun run sweep:git`: what the engine says of real histories, against git. `--help` says how. */
import { parseArgs } from "node:util";
import { histories } from "../../../bench/histories.ts";
import { sweepQuestions } from "./questions.ts";
import { runSweep } from "./run-sweep.ts";
import { SweptHistory } from "./swept-history.ts";

const names = Object.keys(sweepQuestions);
const usage = `Usage: bun run sweep:git [options]

  --history PATH   a bare repository; may be given several times (default: the histories of bench:git, see docs/benchmarks.md)
  --only KINDS     these questions only (comma-separated): ${names.join(" ")}
  --count N        of each kind, for each history (default 100)
  --seconds N      for each kind and history, at most (default 60)
  --seed N         where the random numbers start (default 1)
  --first N        the number of the first question, to repeat one

Nothing is written to the histories. Ends with 1 when there was a difference.
`;

const { values } = parseArgs({
  options: {
    history: { type: "string", multiple: true },
    only: { type: "string", default: names.join(",") },
    count: { type: "string", default: "100" },
    seconds: { type: "string", default: "60" },
    seed: { type: "string", default: "1" },
    first: { type: "string", default: "0" },
    help: { type: "boolean", default: false },
  },
});
const unknown = values.only.split(",").filter((name) => !names.includes(name));
if (values.help || unknown.length > 0) {
  console.log(unknown.length > 0 ? `There is no question "${unknown.join('", "')}"\n\n${usage}` : usage);
  process.exit(values.help ? 0 : 2);
}

const paths = values.history ?? (await histories()).map(({ path }) => path);
const [count, seconds, seed, first] = [values.count, values.seconds, values.seed, values.first].map(Number) as [
  number,
  number,
  number,
  number,
];
let [asked, differing] = [0, 0];
for (const path of paths) {
  await using history = await SweptHistory.open(path);
  console.log(`${path}: ${history.commits.length} commits, ${history.merges.length} merges of two`);
  for (const name of values.only.split(",")) {
    const from = performance.now();
    const { differences, ...summary } = await runSweep(
      history,
      sweepQuestions[name]!,
      { count, seconds, seed, first },
      ({ number, command, where }) => {
        const words = command.map((word) =>
          /^[\w./=@^~:%-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`,
        );
        console.log(
          `DIFFERS: git -C ${path} ${words.join(" ")}\n  ${where}\n  again: bun run sweep:git --history ${path} --only ${name} --seed ${seed} --first ${number} --count 1`,
        );
      },
    );
    asked += summary.asked;
    differing += differences.length;
    console.log(
      `${name.padEnd(12)} ${summary.asked} asked, ${summary.leftOut} left out, ${differences.length} differ, ${((performance.now() - from) / 1000).toFixed(1)} s`,
    );
  }
}
console.log(`${asked} questions, ${differing} differences`);
process.exit(differing === 0 ? 0 : 1);
