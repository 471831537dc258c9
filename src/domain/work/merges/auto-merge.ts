import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { Reader } from "../../../db/client.ts";
import { accessModes } from "../../../db/schema/owners.ts";
import { StithyError } from "../../../lib/errors.ts";
import type { CredentialReference } from "../../../queue/job-kind.ts";
import { demandTo } from "../../spine/guard.ts";
import { permitOnFound } from "../../spine/permit.ts";
import { serverDoer, type UserDoer } from "../../spine/doer.ts";
import { Forbidden, NotFound } from "../../spine/errors.ts";
import { namedRepository } from "../../spine/events/names.ts";
import type { Forge } from "../../spine/forge.ts";
import { namedIssue } from "../issues/named-issue.ts";
import { doerOfJob, referenceTo } from "../../spine/job-doer.ts";
import { mayMerge } from "../../git/protections/decide-change.ts";
import { loadRules } from "../../git/protections/rule-queries.ts";
import type { Work } from "../../spine/work.ts";
import {
  findScheduled,
  findScheduledPull,
  insertScheduled,
  removeScheduled,
  type ScheduledMerge,
} from "./auto-merge-queries.ts";
import { checkBase, checkHead, checkMergeable, demandMerger, havePassed } from "./merge-gate.ts";
import { MergeRefused, MergeScheduled } from "./merge-errors.ts";
import { getPullToMerge, mergePull, type MergeRequest } from "./merge-pull.ts";
import { latestStatuses } from "./merge-queries.ts";
import { checkStyle, type MovingStyle } from "./merge-styles.ts";
import { findPull, findPullById, findStoredRepository, lockPull, type IssueAndPull } from "../pulls/queries.ts";
import { unscheduled, wake } from "./wake-merges.ts";

type ScheduledRequest = MergeRequest & { style: MovingStyle };

/**
 * Merges a pull request whose checks have succeeded, or has it merged when they do: then the statuses of its head have come and
 * passed, those that the base branch asks for where it names them, and its other rules are met. This holds for the head that the pull request
 * has at the start. Throws NotFound, MergeRefused, MergeOvertaken,
 * MergeScheduled.
 */
export async function mergeWhenChecksSucceed(
  forge: Forge,
  doer: UserDoer,
  access: RepositoryAccess,
  number: number,
  asked: ScheduledRequest,
): Promise<"merged" | "scheduled"> {
  await demandMerger(null, access, asked.force);
  checkStyle(access.repository, asked.style);
  const { db } = forge.database;
  const found = await getPullToMerge(forge, access, number);
  checkHead(found, asked.headCommitId);
  checkBase(found, asked.baseBranch);
  const request = { ...asked, headCommitId: found.pull.headOid };
  if (await haveChecksPassed(db, doer, found)) {
    try {
      // The head may move meanwhile, and a check may fail.
      const demand = (work: Work, locked: IssueAndPull) => demandChecks(work, doer, locked);
      await mergePull(forge, doer, access, number, { ...request, demand });
      return "merged";
    } catch (error) {
      if (!(error instanceof MergeRefused) || error.lasting) {
        throw error;
      }
    }
  }
  await forge.change(doer, (work) => schedule(work, access, number, request));
  return "scheduled";
}

/** Whether the statuses let it be tried: where a rule names those that count, the merge itself decides. */
async function haveChecksPassed(db: Reader, { actor }: UserDoer, { pull }: IssueAndPull): Promise<boolean> {
  const rule = (await loadRules(db, pull.baseRepositoryId, actor.id)).branches.find(pull.baseBranch);
  const areNamed = rule?.enableStatusCheck === true && rule.statusCheckContexts.length > 0;
  return areNamed || havePassed(await latestStatuses(db, pull.baseRepositoryId, pull.headOid));
}

/** Looks again whether they have, under the pull request's lock. Throws MergeRefused. */
async function demandChecks(work: Work, doer: UserDoer, locked: IssueAndPull): Promise<void> {
  if (!(await haveChecksPassed(work.tx, doer, locked))) {
    throw new MergeRefused(`The checks of pull request #${locked.issue.number} have not all passed`);
  }
}

async function schedule(
  work: Work,
  access: RepositoryAccess,
  number: number,
  { style, title, message, deleteBranch, headCommitId, force }: ScheduledRequest,
): Promise<void> {
  const { repository } = access;
  await demandMerger(work, access, force);
  const locked = await lockPull(work.tx, repository.id, number);
  if (locked === null) {
    throw new NotFound("pull request", String(number));
  }
  checkMergeable(locked, work.config.pulls.draft_prefixes);
  checkHead(locked, headCommitId);
  const rule = (await loadRules(work.tx, repository.id, work.actorId)).branches.find(locked.pull.baseBranch);
  if (rule !== null && !mayMerge(rule, "user")) {
    throw new MergeRefused(`You are not on the list of those who may merge into "${locked.pull.baseBranch}"`, true);
  }
  const isNew = await insertScheduled(work.tx, {
    pullId: locked.issue.id,
    doerId: work.actorId!,
    credential: work.doer.kind === "user" ? referenceTo(work.doer.credential) : { kind: "none" },
    headOid: locked.pull.headOid,
    style,
    title,
    message,
    deleteBranch: deleteBranch ?? repository.defaultDeleteBranchAfterMerge,
  });
  if (!isNew) {
    throw new MergeScheduled(number);
  }
  const issue = namedIssue(locked.issue);
  work.tell({ kind: "pull.merge-scheduled", repository: namedRepository(access), issue, style });
  // The checks may have come since they were looked at.
  await wake(work, { pullId: issue.id });
}

/**
 * Cancels the scheduled merge of a pull request. The user who scheduled it and administrators of the repository may do
 * so. Throws NotFound if none is scheduled, and Forbidden.
 */
export async function cancelScheduledMerge(work: Work, access: RepositoryAccess, number: number): Promise<void> {
  const locked = await lockPull(work.tx, access.repository.id, number);
  const scheduled = locked === null ? null : await findScheduled(work.tx, locked.issue.id);
  if (locked === null || scheduled === null) {
    throw new NotFound("scheduled merge of pull request", String(number));
  }
  if (scheduled.doerId !== work.actorId) {
    if (access.mode < accessModes.admin) {
      throw new Forbidden("Only whoever scheduled the merge, and administrators of the repository, may cancel it");
    }
    await work.demand({ on: "repository", do: "admin", unit: "any" });
  }
  await removeScheduled(work.tx, locked.issue.id);
  work.tell(unscheduled(namedRepository(access), namedIssue(locked.issue), scheduled));
}

/**
 * Tries a scheduled merge as the user who scheduled it, with their credential. Their permission is checked as it is
 * now. A job calls it.
 */
export async function tryScheduledMerge(forge: Forge, pullId: number): Promise<void> {
  const scheduled = await findScheduledPull(forge.database.db, pullId);
  if (scheduled === null) {
    return;
  }
  const { doerId, number, repositoryId, style, title, message, deleteBranch } = scheduled;
  const { repository: access } = await forge.identity.findSubject({ userId: doerId }, { repositoryId });
  const found = await findPull(forge.database.db, repositoryId, number);
  const doer = await doerOf(forge, scheduled, access);
  if (doer === null || access === null || found === null) {
    await endWait(forge, scheduled, "its scheduler may not see it any more");
    return;
  }
  if (found.pull.headOid !== scheduled.headOid) {
    await endWait(forge, scheduled, "it has another head");
    return;
  }
  const demand = async (work: Work, locked: IssueAndPull) => {
    const waiting = await findScheduled(work.tx, pullId);
    if (waiting === null || !isSame(waiting, scheduled) || locked.pull.headOid !== waiting.headOid) {
      throw new MergeRefused(`Pull request #${number} does not wait for this merge any more`);
    }
    await demandChecks(work, doer, locked);
  };
  const request = { title, message, deleteBranch, headCommitId: "", mergeCommitId: "", force: false, demand };
  try {
    // Whether or not the checks have passed: what somebody has lost does not wait on.
    await forge.change(doer, async () => {});
    if (!(await haveChecksPassed(forge.database.db, doer, found))) {
      return;
    }
    await mergePull(forge, doer, access, number, { ...request, style: style as MovingStyle, scheduled: true });
  } catch (error) {
    if (!(error instanceof StithyError)) {
      throw error;
    }
    const isLost = ["unauthenticated", "forbidden", "absent"].includes(error.kind);
    if (error instanceof MergeRefused ? error.lasting : isLost) {
      await endWait(forge, scheduled, error.message);
    } else if (error instanceof MergeRefused) {
      forge.log.debug({ pull: pullId, reason: error.message }, "A scheduled merge waits on");
    } else {
      throw error;
    }
  }
}

/**
 * Returns the user who scheduled the merge, with their credential; null if they are gone or may not see the repository.
 */
async function doerOf(
  forge: Forge,
  { doerId, credential }: ScheduledMerge,
  access: RepositoryAccess | null,
): Promise<UserDoer | null> {
  if (access === null) {
    return null;
  }
  const may = { on: "repository", do: "participate", unit: "pulls" } as const;
  const permit = permitOnFound(demandTo(may, "write", ["repository"], { signedIn: true }), access);
  const stored = { kind: "user" as const, actorId: doerId, credential: credential as CredentialReference };
  const doer = await doerOfJob(forge, stored, permit);
  return doer?.kind === "user" ? doer : null;
}

/** Whether it is one schedule, and for one head. */
function isSame(left: ScheduledMerge, right: ScheduledMerge): boolean {
  const isOfOneTime = left.createdAt.getTime() === right.createdAt.getTime();
  return left.doerId === right.doerId && isOfOneTime && left.headOid === right.headOid;
}

/** Ends a schedule, unless it was replaced meanwhile, or its scheduler pushed another head. */
async function endWait(forge: Forge, scheduled: ScheduledMerge, reason: string): Promise<void> {
  const { pullId } = scheduled;
  await forge.change(serverDoer("auto-merge"), async (work) => {
    const found = await findPullById(work.tx, pullId);
    const base = found === null ? null : await findStoredRepository(work.tx, found.pull.baseRepositoryId);
    if (found === null || base === null) {
      return;
    }
    await lockPull(work.tx, base.repository.id, found.issue.number);
    const waiting = await findScheduled(work.tx, pullId);
    if (waiting !== null && isSame(waiting, scheduled)) {
      await removeScheduled(work.tx, pullId);
      work.tell(unscheduled(namedRepository(base), namedIssue(found.issue), scheduled));
    }
  });
  forge.log.info({ pull: pullId, reason }, "A scheduled merge was ended");
}
