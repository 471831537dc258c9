import { afterEach, expect, jest, test } from "bun:test";
import type * as Garbage from "./garbage.ts";

/** A module of its own: servers of other tests in this process tell the usual one what they do. */
const own = "./garbage.ts?own";
const { countPiece, noteWork, streamsEnded } = (await import(own)) as typeof Garbage;

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
  const collect = jest.fn<(isAtRest: boolean) => void>();
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
  expect(collect.mock.calls).toEqual([[true], [false], [false]]);
  jest.advanceTimersByTime(60_000);
  expect(collect.mock.calls.length).toBeLessThanOrEqual(4);
});
