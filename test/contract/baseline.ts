import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Source } from "./compare-operations.ts";
import { resourceOf } from "./resource-of.ts";

/**
 * The operations that were equal to the contract once, one file for each resource: `{ "GET /user/emails": ["family"] }`.
 * `contract.test.ts` fails when one no longer is; `bun run contract --write` adds new ones.
 */

const directory = join(import.meta.dir, "baseline");

type Baseline = Record<Source, string[]>;

export function readBaseline(): Baseline {
  const baseline: Baseline = { specification: [], family: [] };
  for (const file of readdirSync(directory).sort()) {
    const equal = JSON.parse(readFileSync(join(directory, file), "utf8")) as Record<string, Source[]>;
    for (const [operation, sources] of Object.entries(equal)) {
      sources.forEach((source) => baseline[source].push(operation));
    }
  }
  return baseline;
}

/** Replaces the files by those of this baseline. */
export function writeBaseline(baseline: Baseline): void {
  const sourcesOf = new Map<string, Source[]>();
  for (const source of ["specification", "family"] as const) {
    for (const operation of baseline[source]) {
      sourcesOf.set(operation, [...(sourcesOf.get(operation) ?? []), source]);
    }
  }
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory);
  const resources = Map.groupBy([...sourcesOf].sort(), ([operation]) => resourceOf(operation.split(" ")[1] ?? ""));
  for (const [resource, equal] of resources) {
    const lines = equal.map(([operation, sources]) => `  ${JSON.stringify(operation)}: ${JSON.stringify(sources)}`);
    writeFileSync(join(directory, `${resource}.json`), `{\n${lines.join(",\n")}\n}\n`);
  }
}
