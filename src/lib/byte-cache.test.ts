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

test("at a long rest, values are kept, forgotten, or packed until they are asked for", () => {
  const value = { lines: [{ text: "a \u00e9 \ud800", matches: [[1, 2]] }] };
  const [kept, forgotten, packed] = (["keep", "forget", "pack"] as const).map((atRest) => {
    const cache = new ByteCache<typeof value>(5000, atRest);
    for (const key of ["a", "b"]) {
      cache.set(key, value, 1000);
    }
    return cache;
  });
  for (let round = 0; round < 2; round++) {
    forgotten?.rest();
    packed?.rest();
  }
  expect(kept?.get("a")).toBe(value);
  expect(forgotten?.get("a")).toBeUndefined();
  const unpacked = packed?.get("a");
  expect(unpacked).toEqual(value);
  expect(unpacked).not.toBe(value);
  expect(packed?.get("a")).toBe(unpacked);
  // They count as before.
  for (const key of ["c", "d", "e"]) {
    packed?.set(key, value, 1000);
    forgotten?.set(key, value, 1000);
  }
  expect(packed?.get("b")).toBeUndefined();
  expect(["c", "d", "e"].map((key) => forgotten?.get(key))).toEqual([value, value, value]);
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
