import { expect, test } from "bun:test";
import { firstWindowBytes, pieceBytes } from "../job/chunk-bytes.ts";
import { StreamBudget, type StreamWindow } from "./stream-budget.ts";

const megabyte = 1024 * 1024;

/** Readers that take all that is in flight, a piece at a time, until the windows are what they stay. */
function keepUp(windows: readonly StreamWindow[], rounds = 40): void {
  for (let round = 0; round < rounds; round++) {
    for (const window of windows) {
      const piece = pieceBytes(window.size);
      expect(window.taken(piece)).toBeGreaterThanOrEqual(0);
    }
  }
}

/** What streams hold at most: their windows, a piece beyond each, and one that is being made. */
function held(windows: readonly StreamWindow[]): number {
  return windows.reduce((sum, { size }) => sum + size + 2 * pieceBytes(size), 0);
}

const openAll = (budget: StreamBudget, count: number): StreamWindow[] =>
  Array.from({ length: count }, () => openOne(budget));

let principals = 0;

/** Opens a stream for somebody who has none. */
function openOne(budget: StreamBudget): StreamWindow {
  const window = budget.tryOpen(`user ${principals++}`);
  if (window === null) {
    throw new Error("There is no place for another stream");
  }
  return window;
}

test("fifty streams hold what ten do, and a thousand what the budget allows", () => {
  const heldBy = (count: number): number => {
    const windows = openAll(new StreamBudget(48 * megabyte, megabyte), count);
    keepUp(windows);
    return held(windows);
  };
  expect(heldBy(1)).toBe(1.5 * megabyte);
  expect(heldBy(10)).toBeGreaterThan(12 * megabyte);
  expect(heldBy(20)).toBeLessThanOrEqual(16 * megabyte);
  expect(heldBy(50)).toBeLessThanOrEqual(16 * megabyte);
  expect(heldBy(1000)).toBeLessThanOrEqual(48 * megabyte);
});

test("windows become smaller when more streams come, and larger when they leave", () => {
  const budget = new StreamBudget(48 * megabyte, megabyte);
  const early = openAll(budget, 8);
  keepUp(early);
  expect(early.map(({ size }) => size)).toEqual(Array.from({ length: 8 }, () => megabyte));
  const late = openAll(budget, 56);
  keepUp([...early, ...late]);
  // An eighth of what the eight had, for each of sixty-four.
  expect(new Set([...early, ...late].map(({ size }) => size))).toEqual(new Set([megabyte / 8]));
  expect(held([...early, ...late])).toBeLessThanOrEqual(16 * megabyte);
  for (const window of late) {
    window.close();
    window.close();
  }
  keepUp(early);
  expect(early.map(({ size }) => size)).toEqual(Array.from({ length: 8 }, () => megabyte));
});

test("readers that stopped with large windows leave to the others what every stream has", () => {
  const budget = new StreamBudget(48 * megabyte, megabyte);
  for (const window of openAll(budget, 8)) {
    keepUp([window]);
  }
  const others = openAll(budget, 100);
  keepUp(others);
  // The first windows of the eight are not lent.
  expect(others.reduce((sum, { size }) => sum + size, 0)).toBe(108 * firstWindowBytes);
  expect(others.every((window) => window.taken(8192) === 8192)).toBe(true);
});

test("there are so many streams as can each have a first window", () => {
  const budget = new StreamBudget(48 * megabyte, megabyte);
  const [first] = openAll(budget, 1024);
  expect(budget.tryOpen("somebody")).toBeNull();
  first?.close();
  expect(budget.tryOpen("somebody")).not.toBeNull();
  expect(budget.tryOpen("somebody else")).toBeNull();
});

test("one principal has half of the streams, and the next of hers waits for one of them to end", async () => {
  const budget = new StreamBudget(48 * megabyte, megabyte);
  const own = Array.from({ length: 1024 }, () => budget.tryOpen("a")).filter((window) => window !== null);
  expect(own).toHaveLength(512);
  const waiting = budget.open("a", new AbortController().signal);
  expect(budget.tryOpen("b")).not.toBeNull();
  own[0]?.close();
  own[1]?.close();
  expect((await waiting).size).toBe(firstWindowBytes);
});
