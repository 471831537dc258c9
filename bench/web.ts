/** `bun run bench:web`: what pages weigh, load and take, beside their budgets. See docs/benchmarks.md. */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { generatorOption, generatorUsage, readGenerator } from "./support/generator.ts";
import { describeMachine, machineLine } from "./support/machine.ts";
import { wholeNumber } from "./support/whole-number.ts";

const partNames = ["assets", "pages", "rates", "large", "issues"] as const;

const usage = `Usage: bun run bench:web [options]

  --only PART,…       only these of ${partNames.join(", ")}
  --binary FILE       measure this executable instead of the source (bun run build makes dist/stithy)
  --rounds N          how often a page is asked for, one after the other (default 200)
  --seconds N         how long a page is asked for by many at once (default 3)
  --connections N     open connections (default 16)
  --issues N          issues of the long list (default 200000)
${generatorUsage}
  --json FILE         write the figures there, too
`;

const { values } = parseArgs({
  options: {
    only: { type: "string", default: partNames.join(",") },
    binary: { type: "string" },
    rounds: { type: "string", default: "200" },
    seconds: { type: "string", default: "3" },
    connections: { type: "string", default: "16" },
    issues: { type: "string", default: "200000" },
    generator: generatorOption,
    json: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  process.stdout.write(usage);
  process.exit(0);
}
const only = values.only.split(",");
for (const name of only)
  if (!partNames.includes(name as (typeof partNames)[number]))
    throw new Error(`--only takes ${partNames.join(", ")}, not "${name}"`);
const options = {
  rounds: wholeNumber("rounds", values.rounds),
  seconds: wholeNumber("seconds", values.seconds),
  connections: wholeNumber("connections", values.connections),
  issues: wholeNumber("issues", values.issues),
  generator: readGenerator(values.generator),
};
// Read where a test starts the program.
if (values.binary !== undefined) process.env["TEST_PROGRAM"] = resolve(values.binary);
const { Budgets } = await import("./page-budgets.ts");
const { measureAssets, measureLarge, measureLongLists, measurePages, measureRates } = await import("./page-parts.ts");
const { findChromium, startBrowser } = await import("../test/support/browser.ts");
const { startWebServer } = await import("../test/support/web-server.ts");

const machine = await describeMachine();
console.log(machineLine(machine));
console.log(
  `Server: ${values.binary ?? "bun src/main.ts"}; ${options.rounds} rounds; generator ${options.generator}, ${options.connections} connections, ${options.seconds} s`,
);
const chromium = findChromium();
const browser = chromium === null ? null : await startBrowser(chromium);
if (browser === null) console.log("There is no chromium: requests, layout and layout shift are left out");

const budgets = new Budgets();
const figures: Record<string, unknown> = {};
const parts = { assets: measureAssets, pages: measurePages, rates: measureRates, large: measureLarge };
if (only.some((name) => name in parts)) {
  await using server = await startWebServer();
  for (const [name, measure] of Object.entries(parts)) {
    if (only.includes(name)) figures[name] = await measure({ ...options, server, browser, budgets });
  }
}
if (only.includes("issues")) figures["issues"] = await measureLongLists({ ...options, budgets });
await browser?.close();
console.log(budgets.summary());
if (values.json !== undefined) {
  await Bun.write(
    values.json,
    `${JSON.stringify({ machine, ...options, figures, missed: budgets.missed }, null, 2)}\n`,
  );
}
