import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Source } from "./compare-operations.ts";
import { compareWithContract, equalOperations } from "./contract-report.ts";
import { productDocument } from "./product-document.ts";
import { readings } from "./readings.ts";
import { contractOperations } from "./tables.ts";

/** Operations that were equal to the contract once; new ones are added with `bun run contract --write test/contract/baseline.json`. */
const baseline = JSON.parse(readFileSync(join(import.meta.dir, "baseline.json"), "utf8")) as Record<Source, string[]>;
const report = compareWithContract(productDocument());

test.each(["specification", "family"] as const)("what was equal to the %s still is", (source) => {
  const equal = new Set(equalOperations(report)[source]);
  const lost = report.results[source].filter(({ operation }) => {
    const address = `${operation.method} ${operation.path}`;
    return baseline[source].includes(address) && !equal.has(address);
  });
  expect(lost.map(({ operation, state, differences }) => ({ id: operation.id, state, differences }))).toEqual([]);
});

test("the baseline names operations of the contract", () => {
  const known = new Set(contractOperations.map(({ method, path }) => `${method} ${path}`));
  expect([...baseline.specification, ...baseline.family].filter((address) => !known.has(address))).toEqual([]);
  expect(baseline.family.length).toBeGreaterThan(0);
});

test("every settled reading is about an operation of the contract", () => {
  const known = new Set(contractOperations.map(({ method, path }) => `${method} ${path.replace(/\{[^}]*\}/g, "{}")}`));
  expect(readings.map(({ at }) => at).filter((at) => !known.has(at))).toEqual([]);
});
