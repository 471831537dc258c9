import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { watchRest } from "./note-work.ts";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

function watched() {
  const rest = jest.fn();
  const longRest = jest.fn();
  const note = watchRest(rest, longRest);
  const noteMany = (count: number) => {
    for (let work = 0; work < count; work++) {
      note();
    }
  };
  const calls = () => [rest.mock.calls.length, longRest.mock.calls.length];
  return { noteMany, calls };
}

test("work is followed by one rest and one long rest", () => {
  const { noteMany, calls } = watched();
  noteMany(1000);
  jest.advanceTimersByTime(5000);
  expect(calls()).toEqual([0, 0]);
  jest.advanceTimersByTime(5000);
  expect(calls()).toEqual([1, 0]);
  jest.advanceTimersByTime(40_000);
  expect(calls()).toEqual([1, 1]);
  jest.advanceTimersByTime(600_000);
  expect(calls()).toEqual([1, 1]);
});

test("a thread that works is not at rest", () => {
  const { noteMany, calls } = watched();
  for (let second = 0; second < 120; second++) {
    noteMany(10);
    jest.advanceTimersByTime(1000);
  }
  expect(calls()).toEqual([0, 0]);
});

test("little work now and then neither puts off a long rest nor is followed by one", () => {
  const { noteMany, calls } = watched();
  noteMany(1000);
  for (let probe = 0; probe < 30; probe++) {
    jest.advanceTimersByTime(5000);
    noteMany(1);
  }
  expect(calls()[1]).toBe(1);
  for (let probe = 0; probe < 30; probe++) {
    jest.advanceTimersByTime(5000);
    noteMany(1);
  }
  expect(calls()[1]).toBe(1);
});
