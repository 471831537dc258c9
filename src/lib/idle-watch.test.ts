import { afterEach, expect, jest, test } from "bun:test";
import { IdleWatch } from "./idle-watch.ts";

afterEach(() => jest.useRealTimers());

test("acts once when nothing is noted any more, and again after more was", () => {
  jest.useFakeTimers();
  const act = jest.fn();
  const watch = new IdleWatch(1000, act);
  for (let round = 1; round <= 2; round++) {
    for (let time = 0; time < 50; time++) {
      watch.note();
      jest.advanceTimersByTime(100);
    }
    expect(act).toHaveBeenCalledTimes(round - 1);
    jest.advanceTimersByTime(2000);
    expect(act).toHaveBeenCalledTimes(round);
    jest.advanceTimersByTime(10_000);
    expect(act).toHaveBeenCalledTimes(round);
  }
});
