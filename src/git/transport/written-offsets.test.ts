import { expect, test } from "bun:test";
import { Bitset } from "../graph/bitset.ts";
import { OffsetMemory } from "./written-offsets.ts";

const kilobyte = 1024;

test("offsets are kept exactly, few and many, also beyond 4 GB", () => {
  for (const count of [2, 100]) {
    const offsets = new OffsetMemory(kilobyte).open(count, 100, null);
    const given = [12, 0xffff_ffff, 0x1_0000_0000, 7_000_000_000_001];
    given.forEach((offset, index) => offsets.set(index * 20, offset));
    expect(given.map((_, index) => offsets.get(index * 20))).toEqual(given);
    expect(offsets.get(99)).toBe(0);
  }
});

test("equal packs that are written at the same time share a list, and each knows what it has written itself", () => {
  const memory = new OffsetMemory(4 * kilobyte);
  const answer = new Bitset(kilobyte);
  const clones = Array.from({ length: 100 }, () => memory.open(kilobyte, kilobyte, answer));
  expect(clones.every(({ areKnown }) => areKnown)).toBe(true);
  clones[0]?.set(7, 12);
  expect(clones[1]?.get(7)).toBe(0);
  clones[1]?.set(7, 12);
  clones[1]?.set(8, 40);
  expect(clones.slice(0, 3).map((clone) => [clone.get(7), clone.get(8)])).toEqual([
    [12, 0],
    [12, 40],
    [0, 0],
  ]);
  // Another answer has no room until the last of these is over.
  expect(memory.open(kilobyte, kilobyte, new Bitset(kilobyte)).areKnown).toBe(false);
  clones.forEach((clone) => clone[Symbol.dispose]());
  expect(memory.open(kilobyte, kilobyte, null).areKnown).toBe(true);
});

test("together they take no more than the limit: without memory it is only known what is written", () => {
  const memory = new OffsetMemory(10 * kilobyte);
  const [first, second, third, sparse] = [kilobyte, kilobyte, kilobyte, 10].map((count) =>
    memory.open(count, kilobyte, null),
  );
  expect([first, second, third, sparse].map((offsets) => offsets?.areKnown)).toEqual([true, true, false, true]);
  expect(third?.get(5)).toBe(0);
  third?.set(5, 1234);
  expect([third?.get(5), third?.get(6)]).toEqual([1, 0]);
  expect(memory.open(100, kilobyte, null).areKnown).toBe(false);
  first?.[Symbol.dispose]();
  first?.[Symbol.dispose]();
  expect([1, 2].map(() => memory.open(kilobyte, kilobyte, null).areKnown)).toEqual([true, false]);
});
