import type { TriedColumns } from "./queries.ts";

const minuteMs = 60_000;
const longestRestMs = 24 * 60 * minuteMs;

/** Returns the columns after a success: the next try comes after the interval, or on request if it is 0. */
export function afterSuccess(intervalSeconds: number, now: Date): TriedColumns {
  return {
    triedAt: now,
    syncedAt: now,
    lastError: "",
    failures: 0,
    nextAt: intervalSeconds === 0 ? null : new Date(now.getTime() + intervalSeconds * 1000),
  };
}

/**
 * Returns the columns after a failure: the next tries wait 1, 4, 16 … minutes, at most a day, and never longer than the
 * interval.
 */
export function afterFailure(
  mirror: { failures: number; intervalSeconds: number },
  error: string,
  now: Date,
): TriedColumns {
  const failures = mirror.failures + 1;
  const restMs = Math.min(minuteMs * 4 ** Math.min(failures - 1, 10), longestRestMs);
  return { triedAt: now, lastError: error, failures, nextAt: new Date(now.getTime() + restMs) };
}
