import { expect, test } from "bun:test";
import { readBaseline } from "./baseline.ts";
import { compareWithContract, equalOperations } from "./contract-report.ts";
import { productDocument } from "./product-document.ts";
import { readings } from "./readings.ts";
import { contractOperations } from "./tables.ts";

const baseline = readBaseline();
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
