import { expect, test } from "bun:test";
import { findEndpointSpec } from "../../src/api/common/endpoint.ts";
import { apiRoutes } from "../../src/api/index.ts";
import { forgeWithoutLimits } from "../contract/product-document.ts";
import { classOf } from "./expectations.ts";

/** The matrix has nobody who reads releases and not the code, nor the reverse: which unit is asked for is compared here. */
test("every operation on a repository asks for the unit that its expectation names", () => {
  const declared = new Map<string, string>();
  for (const { handler, method, path } of apiRoutes(forgeWithoutLimits()).routes) {
    const may = findEndpointSpec(handler)?.may;
    const name = `${method} ${path.replace(/^\/api\/v1/, "").replace(/:(\w+)\+?/g, "{$1}")}`;
    if (may?.on === "repository" && classOf.has(name)) {
      declared.set(name, may.unit);
    }
  }
  const wrong = [...declared].flatMap(([name, unit]) => {
    const [, ...words] = (classOf.get(name) ?? "").split(" ");
    const expected = words.find((word) => word !== "signed-in") ?? "any";
    return expected === unit ? [] : [`${name}: ${unit} in place of ${expected}`];
  });
  expect(declared.size).toBeGreaterThan(250);
  expect(wrong).toEqual([]);
});
