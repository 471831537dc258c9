import type { Static } from "elysia";
import type { StopWatch, TrackedTime } from "./schema.ts";
import type { Viewer } from "../../auth/viewer-of.ts";
import { knownUsers } from "../../domain/work/comments/queries.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { IssueRow } from "../../domain/work/issues/queries.ts";
import type { listStopwatches } from "../../domain/work/times/stopwatch-queries.ts";
import type { TrackedTimeRow } from "../../domain/work/times/queries.ts";
import { presentIssuesOfMany } from "../issues/find-issue.ts";
import { durationInWords } from "../../lib/duration.ts";
import { presentInstant } from "../common/instants.ts";

/** A tracked time without its issue. `user` is null when they are gone, or unknown to the viewer. */
export function presentTime(
  { id, issueId, seconds, createdAt }: TrackedTimeRow,
  user: { id: number; name: string } | null,
): Static<typeof TrackedTime> {
  return {
    created: presentInstant(createdAt),
    id,
    issue: null,
    issue_id: issueId,
    time: seconds,
    user_id: user?.id ?? 0,
    user_name: user?.name ?? "",
  };
}

/** Tracked times with their issues, with a constant number of queries. */
export async function presentTimes(
  forge: Forge,
  viewer: Viewer,
  rows: readonly { time: TrackedTimeRow; issue: IssueRow }[],
) {
  const issueRows = new Map(rows.map(({ issue }) => [issue.id, issue]));
  const [issues, users] = await Promise.all([
    presentIssuesOfMany(forge, viewer, [...issueRows.values()]),
    knownUsers(
      forge.database.db,
      viewer,
      rows.map(({ time }) => time.userId),
    ),
  ]);
  const issueOf = new Map(issues.map((one) => [one.id, one]));
  return rows.map(({ time }) => ({
    ...presentTime(time, users.get(time.userId ?? 0) ?? null),
    issue: issueOf.get(time.issueId) ?? null,
  }));
}

export function presentStopwatch({
  startedAt,
  issue,
  home,
}: Awaited<ReturnType<typeof listStopwatches>>["rows"][number]): Static<typeof StopWatch> {
  const seconds = Math.max(0, Math.floor((Date.now() - startedAt.getTime()) / 1000));
  return {
    created: presentInstant(startedAt),
    duration: durationInWords(seconds),
    issue_index: issue.number,
    issue_title: issue.title,
    repo_name: home.repository.name,
    repo_owner_name: home.owner.name,
    seconds,
  };
}
