import { afterEach, expect, jest, test } from "bun:test";
import type * as Garbage from "./garbage.ts";

/** A module of its own: servers of other tests in this process tell the usual one what they do. */
const own = "./garbage.ts?own";
const { collectMuch, countAged, countPiece, noteWork, streamsEnded } = (await import(own)) as typeof Garbage;

afterEach(() => jest.useRealTimers());

function readStream(pieces: number, collect: () => void): void {
  for (let piece = 0; piece < pieces; piece++) {
    countPiece();
  }
  streamsEnded(collect);
}

test("after many streams that follow each other without a pause all is collected once, when it is quiet", () => {
  jest.useFakeTimers();
  const collect = jest.fn();
  for (let stream = 0; stream < 10; stream++) {
    readStream(2001, collect);
    jest.advanceTimersByTime(20);
  }
  expect(collect).not.toHaveBeenCalled();
  jest.advanceTimersByTime(1000);
  expect(collect).toHaveBeenCalledTimes(1);
  readStream(10, collect);
  jest.advanceTimersByTime(1000);
  expect(collect).toHaveBeenCalledTimes(1);
  readStream(2001, collect);
  jest.advanceTimersByTime(1000);
  expect(collect).toHaveBeenCalledTimes(2);
});

test("what work leaves is collected once when it is over, and twice a minute while it goes on", () => {
  jest.useFakeTimers();
  const collect = jest.fn<(during: string) => void>();
  noteWork(collect);
  jest.advanceTimersByTime(4000);
  noteWork(collect);
  jest.advanceTimersByTime(4000);
  expect(collect).not.toHaveBeenCalled();
  jest.advanceTimersByTime(60_000);
  expect(collect).toHaveBeenCalledTimes(1);
  for (let second = 0; second < 60; second++) {
    noteWork(collect);
    jest.advanceTimersByTime(1000);
  }
  expect(collect.mock.calls).toEqual([["rest"], ["work"], ["work"]]);
  // It ended right before it was collected beside the work, which is not all.
  jest.advanceTimersByTime(60_000);
  expect(collect.mock.calls).toEqual([["rest"], ["work"], ["work"], ["rest"]]);
});

test("much work is followed by a collection at rest, however little it left", () => {
  jest.useFakeTimers();
  const collect = jest.fn<(during: string) => void>();
  for (const count of [600, 300, 300]) {
    for (let work = 0; work < count; work++) {
      noteWork(collect);
    }
    jest.advanceTimersByTime(10_000);
  }
  expect(collect.mock.calls).toEqual([["rest after much"], ["rest"], ["rest after much"]]);
});

test("much work is followed by a long rest once, which what comes meanwhile puts off", () => {
  jest.useFakeTimers();
  const collect = jest.fn<(during: string) => void>();
  const work = (count: number): void => {
    for (let done = 0; done < count; done++) {
      noteWork(collect);
    }
  };
  const longRests = (): number => collect.mock.calls.filter(([during]) => during === "long rest").length;
  // What earlier tests did ends first.
  work(1000);
  jest.advanceTimersByTime(60_000);
  const before = longRests();
  work(999);
  jest.advanceTimersByTime(60_000);
  expect(longRests()).toBe(before);
  work(1);
  jest.advanceTimersByTime(30_000);
  work(21);
  jest.advanceTimersByTime(40_000);
  expect(longRests()).toBe(before);
  jest.advanceTimersByTime(20_000);
  expect(longRests()).toBe(before + 1);
  jest.advanceTimersByTime(600_000);
  work(10);
  jest.advanceTimersByTime(60_000);
  expect(longRests()).toBe(before + 1);
});

test("whoever asks every few seconds whether the server is well puts off no long rest", () => {
  jest.useFakeTimers();
  const collect = jest.fn<(during: string) => void>();
  jest.advanceTimersByTime(120_000);
  for (let done = 0; done < 1000; done++) {
    noteWork(collect);
  }
  for (let call = 0; call < 24; call++) {
    jest.advanceTimersByTime(10_000);
    noteWork(collect);
  }
  expect(collect.mock.calls.filter(([during]) => during === "long rest")).toHaveLength(1);
});

test("what large answers leave is collected once for every 32 MB of them", () => {
  const collect = jest.fn();
  for (let answer = 0; answer < 9; answer++) {
    countAged(8 * 1024 * 1024, collect);
  }
  expect(collect).toHaveBeenCalledTimes(2);
});

test("what a piece of work leaves is collected when it is much more than what is kept", () => {
  const collect = jest.fn();
  collectMuch(collect);
  collect.mockClear();
  collectMuch(collect);
  expect(collect).not.toHaveBeenCalled();
  const much = new ArrayBuffer(64 * 1024 * 1024);
  collectMuch(collect);
  expect(collect).toHaveBeenCalledTimes(1);
  // It is kept, as it turned out.
  collectMuch(collect);
  expect(collect).toHaveBeenCalledTimes(1);
  expect(much.byteLength).toBeGreaterThan(0);
});
