import { newJob } from "../../../queue/enqueue.ts";
import { serverDoer } from "../../spine/doer.ts";
import { Overtaken } from "../../spine/errors.ts";
import type { Event } from "../../spine/events.ts";
import { namedRepository } from "../../spine/events/names.ts";
import type { Forge } from "../../spine/forge.ts";
import { namedIssue } from "../issues/named-issue.ts";
import { lockRepository } from "../../spine/lock-queries.ts";
import type { Work } from "../../spine/work.ts";
import { listOpenOfBase, markMerged, wantsDetection } from "./merge-queries.ts";
import { findPullById, findStoredRepository, findTip, lockPull, type StoredRepository } from "../pulls/queries.ts";

/** A push to a branch. Oids are hexadecimal. */
interface PushToBase {
  readonly repositoryId: number;
  /** Short name. */
  readonly branch: string;
  readonly from: string;
  readonly to: string;
  /** null: nobody who is known here */
  readonly pusherId: number | null;
}

const branchPrefix = "refs/heads/";
/** More branches of one push than this are a mirror at work. */
const mostBranches = 50;

/**
 * Subscriber: where a repository wants it, a push to the base of open pull requests has it looked up which of them it brings. So does the merge
 * of another pull request, which may bring them, too.
 */
export async function followMergesByHand(work: Work, event: Event): Promise<void> {
  if (event.kind !== "refs.moved") {
    return;
  }
  const moves = event.refs.filter(
    ({ name, oldOid, newOid }) => name.startsWith(branchPrefix) && oldOid !== null && newOid !== null,
  );
  const branches = moves.slice(0, mostBranches).map(({ name }) => name.slice(branchPrefix.length));
  const wanted = branches.length === 0 ? [] : await wantsDetection(work.tx, event.repository.id, branches);
  for (const { name, oldOid, newOid } of moves) {
    const branch = name.slice(branchPrefix.length);
    if (wanted.includes(branch)) {
      const push = { repositoryId: event.repository.id, branch, from: oldOid!, to: newOid!, pusherId: work.actorId };
      await work.enqueueForServer("detect-merges", newJob("detect-merges", push));
    }
  }
}

/** Notes the open pull requests as merged by hand whose head a push brought to their base. A job does it. */
export async function detectMerges(forge: Forge, push: PushToBase): Promise<void> {
  const { db } = forge.database;
  const stored = await findStoredRepository(db, push.repositoryId);
  const open = stored?.repository.autodetectManualMerge === true ? await listOpenOfBase(db, push) : [];
  if (stored === null || open.length === 0) {
    return;
  }
  const ref = await forge.git.refs.findRef(push.repositoryId, branchPrefix + push.branch);
  if (ref === null) {
    return;
  }
  const { oid: tip, generation } = ref;
  const view = await forge.git.views.view({ ...stored.repository, generation });
  const isAncestor = (ancestor: string, descendant: string) =>
    forge.git.engine.call(view, "isAncestor", { ancestor, descendant });
  for (const { id, headOid } of open) {
    const isBrought = (await isAncestor(headOid, push.to)) && !(await isAncestor(headOid, push.from));
    // One that the base had before is empty, and nobody has merged it. A later push may have taken the commits away again.
    if (isBrought && (await isAncestor(headOid, tip))) {
      await noteMerged(forge, stored, push, { id, headOid, mergeCommitOid: await bringer(headOid), tip });
    }
  }

  /** The commit by which the branch got a head: the first of its own line that has it. */
  async function bringer(headOid: string): Promise<string> {
    const { commits } = await forge.git.engine.call(view, "log", {
      tips: [push.to],
      not: [push.from],
      paths: [],
      firstParent: true,
      skip: 0,
      limit: Number.MAX_SAFE_INTEGER,
      count: false,
      files: false,
      stats: false,
    });
    let [without, having] = [commits.length, 0];
    while (without - having > 1) {
      const middle = (without + having) >> 1;
      if (await isAncestor(headOid, commits[middle]!.oid)) {
        having = middle;
      } else {
        without = middle;
      }
    }
    return commits[having]?.oid ?? push.to;
  }
}

async function noteMerged(
  forge: Forge,
  stored: StoredRepository,
  push: PushToBase,
  found: { id: number; headOid: string; mergeCommitOid: string; tip: string },
): Promise<void> {
  const pusher =
    push.pusherId === null ? null : (await forge.identity.findSubject({ userId: push.pusherId }, {})).actor;
  await forge.change(serverDoer("detect-merges", pusher), async (work) => {
    await lockRepository(work.tx, push.repositoryId);
    const number = (await findPullById(work.tx, found.id))?.issue.number ?? 0;
    const locked = await lockPull(work.tx, push.repositoryId, number);
    if (
      locked === null ||
      locked.issue.closedAt !== null ||
      locked.pull.headOid !== found.headOid ||
      locked.pull.baseBranch !== push.branch
    ) {
      return;
    }
    if ((await findTip(work.tx, push.repositoryId, push.branch)) !== found.tip) {
      throw new Overtaken(`The branch "${push.branch}" moved while its pull requests were looked through`, null);
    }
    const style = "manually-merged";
    const { mergeCommitOid: oid } = found;
    await markMerged(work.tx, found.id, { baseOid: push.from, mergeCommitOid: oid, style, mergedById: work.actorId });
    const issue = namedIssue(locked.issue);
    work.tell({ kind: "pull.merged", repository: namedRepository(stored), issue, style, oid });
  });
}
