import type { RepositoryAccess } from "../../../auth/subject.ts";
import { InvalidInput, StithyError } from "../../../lib/errors.ts";
import { clip } from "../../../lib/show-value.ts";
import { actorOf } from "../../spine/doer.ts";
import { Forbidden, NotFound } from "../../spine/errors.ts";
import { namedRepository } from "../../spine/events/names.ts";
import { mayWriteIssue, unitOf } from "../issues/access.ts";
import { getLockedIssue } from "../issues/edit-issue.ts";
import { namedIssue } from "../issues/named-issue.ts";
import type { IssueRow } from "../issues/queries.ts";
import type { Work } from "../../spine/work.ts";
import {
  findReader,
  findTime,
  insertTime,
  isAssignee,
  removeTime,
  removeTimesOf,
  type TrackedTimeRow,
} from "./queries.ts";

export interface NewTime {
  /** From 1 to mostSeconds. */
  seconds: number;
  /** The user who spent it; null: the doer. */
  userName: string | null;
  /** When; null: now. */
  createdAt: Date | null;
}

/** The most seconds that are tracked at once: a year. A stopwatch that ran for longer counts as this. */
export const mostSeconds = 365 * 24 * 60 * 60;

/** The repository has the tracking of time switched off. */
export class TimeTrackingOff extends StithyError {
  constructor({ owner, repository }: RepositoryAccess) {
    const name = `${owner.name}/${repository.name}`;
    super("invalid", "time-tracking-off", `The tracking of time is switched off in "${name}"`, { name });
  }
}

/**
 * Whether a user may track time on an issue of a repository that tracks it: users who may write to the issue, its
 * author and its assignees. Without "only contributors", also users who may take part.
 */
export function mayTrack(access: RepositoryAccess, row: IssueRow, userId: number, isAssigned: boolean): boolean {
  return (
    !access.repository.allowOnlyContributorsToTrackTime ||
    mayWriteIssue(access, row) ||
    row.authorId === userId ||
    isAssigned
  );
}

/** Locks an issue for somebody who tracks time on it. Throws NotFound, TimeTrackingOff and Forbidden. */
export async function lockToTrack(work: Work, access: RepositoryAccess, number: number): Promise<IssueRow> {
  const row = await getLockedIssue(work, access, number);
  if (!access.repository.enableTimeTracker) {
    throw new TimeTrackingOff(access);
  }
  await work.demand({ on: "repository", do: "participate", unit: unitOf(row) });
  const { id } = actorOf(work.doer);
  if (!mayTrack(access, row, id, false) && !(await isAssignee(work.tx, row.id, id))) {
    throw new Forbidden("Only its author, its assignees, and those who may write it, track time on it here");
  }
  return row;
}

/**
 * Adds time that was spent on an issue. Administrators of the repository add that of others who may read the issue. Throws what
 * `lockToTrack` throws, and InvalidInput that names the field.
 */
export async function addTime(
  work: Work,
  access: RepositoryAccess,
  number: number,
  { seconds, userName, createdAt }: NewTime,
): Promise<{ time: TrackedTimeRow; issue: IssueRow }> {
  const { tx } = work;
  const row = await lockToTrack(work, access, number);
  if (seconds < 1 || seconds > mostSeconds) {
    throw new InvalidInput(`time is 1 to ${mostSeconds} seconds`, "time");
  }
  if (createdAt !== null && createdAt > new Date()) {
    throw new InvalidInput("created must not lie in the future", "created");
  }
  const doer = actorOf(work.doer);
  const isOwn = userName === null || userName.toLowerCase() === doer.name.toLowerCase();
  if (!isOwn) {
    await work.demand({ on: "repository", do: "admin", unit: "issues-or-pulls" });
  }
  const user = isOwn ? doer : await findReader(tx, access.repository.id, unitOf(row), userName);
  if (user === null) {
    throw new InvalidInput(`Nobody who may read it is called "${clip(userName ?? "", 80)}"`, "user_name");
  }
  const time = await recordTime(work, access, row, user.id, { seconds, createdAt }, false);
  return { time, issue: row };
}

/** Writes time down, and tells so. */
export async function recordTime(
  work: Work,
  access: Parameters<typeof namedRepository>[0],
  issue: Pick<IssueRow, "id" | "number" | "title" | "isPull">,
  userId: number,
  { seconds, createdAt }: { seconds: number; createdAt: Date | null },
  byStopwatch: boolean,
): Promise<TrackedTimeRow> {
  const time = await insertTime(work.tx, {
    repositoryId: access.repository.id,
    issueId: issue.id,
    userId,
    seconds,
    ...(createdAt === null ? {} : { createdAt }),
  });
  const repository = namedRepository(access);
  work.tell({
    kind: "time.tracked",
    repository,
    issue: namedIssue(issue),
    time: { id: time.id, seconds },
    byStopwatch,
  });
  return time;
}

/** Deletes one entry of time: one's own; site administrators delete any. Throws what `lockToTrack` throws. */
export async function deleteTime(work: Work, access: RepositoryAccess, number: number, id: number): Promise<void> {
  const row = await lockToTrack(work, access, number);
  const time = await findTime(work.tx, row.id, id);
  if (time === null) {
    throw new NotFound("tracked time", String(id));
  }
  if (time.userId !== actorOf(work.doer).id) {
    await work.demand({ on: "instance", do: "administer" });
  }
  await removeTime(work.tx, id);
  tellDeleted(work, access, row, time.seconds);
}

/** Deletes all time that the doer spent on an issue. Throws what `lockToTrack` throws, and NotFound where there is none. */
export async function resetTimes(work: Work, access: RepositoryAccess, number: number): Promise<void> {
  const row = await lockToTrack(work, access, number);
  const { id, name } = actorOf(work.doer);
  const seconds = await removeTimesOf(work.tx, row.id, id);
  if (seconds === 0) {
    throw new NotFound("tracked time of", name);
  }
  tellDeleted(work, access, row, seconds);
}

function tellDeleted(work: Work, access: RepositoryAccess, row: IssueRow, seconds: number): void {
  work.tell({ kind: "time.deleted", repository: namedRepository(access), issue: namedIssue(row), seconds });
}
