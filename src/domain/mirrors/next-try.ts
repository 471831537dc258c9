import type { TriedColumns } from "./queries.ts";

const minuteMs = 60_000;
const longestRestMs = 24 * 60 * minuteMs;

/** What is stored of a try that went well: the next one comes with the interval; with 0, when somebody asks for it. */
export function afterSuccess(intervalSeconds: number, now: Date): TriedColumns {
  return {
    triedAt: now,
    syncedAt: now,
    lastError: "",
    failures: 0,
    nextAt: intervalSeconds === 0 ? null : new Date(now.getTime() + intervalSeconds * 1000),
  };
}

/** What is stored of a try that failed: the next ones rest 1, 4, 16 … minutes, a day at most, and never longer than the interval does. */
export function afterFailure(
  mirror: { failures: number; intervalSeconds: number },
  error: string,
  now: Date,
): TriedColumns {
  const failures = mirror.failures + 1;
  const restMs = Math.min(minuteMs * 4 ** Math.min(failures - 1, 10), longestRestMs);
  return { triedAt: now, lastError: error, failures, nextAt: new Date(now.getTime() + restMs) };
}
