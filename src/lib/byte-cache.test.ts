import { expect, test } from "bun:test";
import { ByteCache } from "./byte-cache.ts";

test("what was used least recently goes when the bytes are full", () => {
  const cache = new ByteCache<string>(5000);
  for (const key of ["a", "b", "c", "d"]) {
    cache.set(key, key, 1000);
  }
  expect(cache.get("a")).toBe("a");
  cache.set("e", "e", 1000);
  expect(["a", "b", "c", "d", "e"].map((key) => cache.get(key))).toEqual(["a", undefined, "c", "d", "e"]);
});

test("a value too large for the cache is not kept, and drives nothing out", () => {
  const cache = new ByteCache<string>(5000);
  cache.set("small", "small", 100);
  cache.set("large", "large", 2000);
  expect(cache.get("large")).toBeUndefined();
  expect(cache.get("small")).toBe("small");
});

test("a value set again counts once", () => {
  const cache = new ByteCache<number>(5000);
  cache.set("other", 0, 100);
  for (let round = 0; round < 20; round++) {
    cache.set("same", round, 1000);
  }
  expect(cache.get("other")).toBe(0);
  expect(cache.get("same")).toBe(19);
});
