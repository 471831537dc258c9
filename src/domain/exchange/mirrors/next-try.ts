import type { PullMirrorRow, TriedColumns } from "./queries.ts";

const minuteMs = 60_000;
const longestRestMs = 24 * 60 * minuteMs;

/** Returns the columns after a success. */
export function afterSuccess(now: Date): TriedColumns {
  return { triedAt: now, syncedAt: now, lastError: "", failures: 0 };
}

/** Returns the columns after a failure. */
export function afterFailure(mirror: { failures: number }, error: string, now: Date): TriedColumns {
  return { triedAt: now, lastError: error, failures: mirror.failures + 1 };
}

/**
 * Returns when a mirror is due: its interval after the last success; after failures 1, 4, 16 … minutes after the last try, at most a day.
 * null: only when somebody asks for it, or when the repository changes.
 */
export function nextTryOf(
  mirror: Pick<PullMirrorRow, "failures" | "intervalSeconds" | "triedAt" | "syncedAt" | "createdAt">,
): Date | null {
  const { failures, intervalSeconds, triedAt, syncedAt, createdAt } = mirror;
  if (failures > 0) {
    const restMs = Math.min(minuteMs * 4 ** Math.min(failures - 1, 10), longestRestMs);
    return new Date((triedAt ?? createdAt).getTime() + restMs);
  }
  return intervalSeconds === 0 ? null : new Date((syncedAt ?? createdAt).getTime() + intervalSeconds * 1000);
}
