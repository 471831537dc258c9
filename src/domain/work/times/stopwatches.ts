import type { RepositoryAccess } from "../../../auth/subject.ts";
import { actorOf } from "../../spine/doer.ts";
import { Conflict, Forbidden } from "../../spine/errors.ts";
import { namedRepository } from "../../spine/events/names.ts";
import { namedIssue } from "../issues/named-issue.ts";
import type { IssueRow } from "../issues/queries.ts";
import type { Work } from "../../spine/work.ts";
import { insertStopwatch, lockRunning, removeStopwatch, type RunningStopwatch } from "./stopwatch-queries.ts";
import { lockToTrack, mostSeconds, recordTime, TimeTrackingOff } from "./track-time.ts";

/** Throws what `lockToTrack` throws, but Forbidden where the tracking of time is switched off. */
async function lockIssueToTrack(work: Work, access: RepositoryAccess, number: number): Promise<IssueRow> {
  try {
    return await lockToTrack(work, access, number);
  } catch (error) {
    throw error instanceof TimeTrackingOff ? new Forbidden(error.message) : error;
  }
}

async function findRunning({ tx, doer }: Work): Promise<RunningStopwatch | null> {
  const credential = doer.kind === "user" ? doer.credential : ({ kind: "none" } as const);
  return lockRunning(tx, { actor: actorOf(doer), credential });
}

/** The doer's stopwatch of an issue. Throws Conflict where it does not run. */
async function getRunning(work: Work, row: IssueRow): Promise<RunningStopwatch> {
  const running = await findRunning(work);
  if (running?.issue.id !== row.id) {
    throw new Conflict(`You have no stopwatch running on #${row.number}`);
  }
  return running;
}

/** Takes the stopwatch away, and tracks what it measured. */
async function finish(work: Work, { issue, home, startedAt }: RunningStopwatch): Promise<void> {
  const { id } = actorOf(work.doer);
  await removeStopwatch(work.tx, id);
  const ran = Math.floor((Date.now() - startedAt.getTime()) / 1000);
  const seconds = Math.min(Math.max(ran, 1), mostSeconds);
  await recordTime(work, home, issue, id, { seconds, createdAt: null }, true);
}

/**
 * Starts a stopwatch on an issue. One that runs on another issue is stopped, and its time is tracked where the doer may still read that
 * issue. Throws NotFound, Forbidden, and Conflict where it runs already, or on what the credential does not reach.
 */
export async function startStopwatch(work: Work, access: RepositoryAccess, number: number): Promise<void> {
  const { id } = actorOf(work.doer);
  const row = await lockIssueToTrack(work, access, number);
  const running = await findRunning(work);
  if (running?.issue.id === row.id) {
    throw new Conflict(`Your stopwatch runs on #${row.number} already`);
  }
  if (running?.mayTrack === true && !running.isReached) {
    throw new Conflict("Your stopwatch runs on an issue that this credential does not reach: stop it there first");
  }
  if (running?.mayTrack === true) {
    await finish(work, running);
  } else {
    await removeStopwatch(work.tx, id);
  }
  if (!(await insertStopwatch(work.tx, id, row.id))) {
    throw new Conflict("Another stopwatch of yours was started at the same time");
  }
  work.tell({ kind: "stopwatch.started", repository: namedRepository(access), issue: namedIssue(row) });
}

/** Stops the doer's stopwatch of an issue: what it measured is tracked. Throws NotFound, Forbidden, and Conflict where none runs. */
export async function stopStopwatch(work: Work, access: RepositoryAccess, number: number): Promise<void> {
  const row = await lockIssueToTrack(work, access, number);
  await finish(work, await getRunning(work, row));
}

/** Takes the doer's stopwatch off an issue: nothing is tracked. Throws NotFound, Forbidden, and Conflict where none runs. */
export async function cancelStopwatch(work: Work, access: RepositoryAccess, number: number): Promise<void> {
  const row = await lockIssueToTrack(work, access, number);
  await getRunning(work, row);
  await removeStopwatch(work.tx, actorOf(work.doer).id);
  work.tell({ kind: "stopwatch.cancelled", repository: namedRepository(access), issue: namedIssue(row) });
}
