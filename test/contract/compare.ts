import { parseArgs } from "node:util";
import { readBaseline, writeBaseline } from "./baseline.ts";
import { addressOf, compareWithContract, equalOperations, type ContractReport } from "./contract-report.ts";
import { productDocument } from "./product-document.ts";
import { readings } from "./readings.ts";
import { contractOperations } from "./tables.ts";
import type { OperationComparison } from "./compare-operations.ts";

/* How far the API is there: `bun run contract [--tag TAG] [--verbose] [--check] [--write]`. */

const usage = `bun run contract [options]
  --tag TAG      only operations of this group
  --verbose      every difference, every missing operation, every extra
  --check        fail when an operation of the baseline is no longer equal
  --write        write the baseline: all operations that are equal`;

function count(results: readonly OperationComparison[]): string {
  const of = (state: OperationComparison["state"]) => results.filter((result) => result.state === state).length;
  return [of("equal"), of("differs"), of("missing"), results.length]
    .map((number) => String(number).padStart(8))
    .join("");
}

function printSummary({ results }: ContractReport): void {
  const tags = [...new Set([...results.specification, ...results.family].map(({ operation }) => operation.tag))].sort();
  console.log(`${"".padEnd(14)}${"specification".padStart(32)}   ${"family".padStart(32)}`);
  const heads = ["equal", "differs", "missing", "all"].map((head) => head.padStart(8)).join("");
  console.log(`${"".padEnd(14)}${heads}   ${heads}`);
  const line = (name: string, keep: (result: OperationComparison) => boolean) =>
    console.log(
      `${name.padEnd(14)}${count(results.specification.filter(keep))}   ${count(results.family.filter(keep))}`,
    );
  for (const tag of tags) {
    line(tag, ({ operation }) => operation.tag === tag);
  }
  line("all", () => true);
}

function printDetails(report: ContractReport): void {
  for (const [source, results] of Object.entries(report.results)) {
    for (const state of ["differs", "missing"] as const) {
      console.log(`\n${source}: ${state}`);
      for (const result of results.filter((one) => one.state === state)) {
        console.log(`  ${addressOf(result)}${result.operation.id === null ? "" : ` (${result.operation.id})`}`);
        result.differences.forEach((difference) => console.log(`      ${difference}`));
      }
    }
  }
  console.log("\nschemas");
  for (const [name, { differences, extra }] of report.schemas) {
    console.log(`  ${name}`);
    differences.forEach((difference) => console.log(`      ${difference}`));
    if (extra.length > 0) {
      console.log(`      (only ours: ${extra.join(", ")})`);
    }
  }
  console.log("\nonly ours (allowed)");
  report.beyond.forEach((address) => console.log(`  ${address}`));
  for (const result of report.results.family.filter(({ extra }) => extra.length > 0)) {
    console.log(`  ${addressOf(result)}: ${result.extra.join(", ")}`);
  }
  console.log("\nsettled readings");
  readings.forEach(({ at, reason }) => console.log(`  ${at}: ${reason}`));
}

const { values } = parseArgs({
  options: {
    tag: { type: "string" },
    verbose: { type: "boolean" },
    check: { type: "boolean" },
    write: { type: "boolean" },
    help: { type: "boolean", short: "h" },
  },
});
if (values.help === true) {
  console.log(usage);
  process.exit(0);
}
if (values.tag !== undefined && !contractOperations.some(({ tag }) => tag === values.tag)) {
  console.error(
    `There is no tag "${values.tag}": choose one of ${[...new Set(contractOperations.map(({ tag }) => tag))].sort().join(", ")}`,
  );
  process.exit(2);
}
const report = compareWithContract(productDocument(), values.tag);
printSummary(report);
if (values.verbose === true) {
  printDetails(report);
}
const equal = equalOperations(report);
if (values.write === true) {
  writeBaseline(equal);
}
if (values.check === true) {
  const expected = readBaseline();
  const lost = (["specification", "family"] as const).flatMap((source) =>
    expected[source].filter((address) => !equal[source].includes(address)).map((address) => `${source}: ${address}`),
  );
  lost.forEach((line) => console.error(`No longer equal to the ${line}`));
  process.exitCode = lost.length === 0 ? 0 : 1;
}
