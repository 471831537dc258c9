import { describeError } from "../../../db/pg-errors.ts";
import type { RepositoryView } from "../../../git/job/repository-view.ts";
import type { MergePreview } from "../../../git/operations/preview-merge.ts";
import { StithyError } from "../../../lib/errors.ts";
import { JoinedWork } from "../../../lib/joined-work.ts";
import { ScratchDirectory } from "../../../lib/scratch-directory.ts";
import { serverDoer } from "../../spine/doer.ts";
import { namedRepository } from "../../spine/events/names.ts";
import { bringObjects } from "../../repos/forks/bring-objects.ts";
import { jointView } from "../../repos/forks/joint-view.ts";
import type { Forge } from "../../spine/forge.ts";
import { namedIssue } from "../issues/named-issue.ts";
import { linkObjectsOf } from "../../git/lfs/queries.ts";
import { againIfRepacked } from "../../git/packs/packs-replaced.ts";
import { moveRefs } from "../../git/refs/move-refs.ts";
import { mostConflicts } from "./create-pull.ts";
import { headRef, pullReason } from "./pull-refs.ts";
import {
  findLastMove,
  findPullById,
  findRestMs,
  findStoredRepository,
  findTip,
  listStale,
  type IssueAndPull,
  type StalePull,
  type StoredRepository,
} from "./queries.ts";
import { setTips, storeChecked, type CheckedPull } from "./write-queries.ts";

const reason = "refresh pull request";

/** Branches that move time and again are followed so often; the next push has it done again. */
const rounds = 5;

/** A request waits so long for what is not worked out yet. */
const patienceMs = 8000;

/** So many pull requests that nobody waits for are worked out and stored together, if it does not take longer than this. */
const together = 10;
const longestTogetherMs = 200;

/** Between them and the next. */
const longestPauseMs = 200;

/** Nothing of what nobody waits for begins before the branches of the repository have been at rest for so long. */
const restMs = 200;

/** But it waits no longer than this in all. */
const longestWaitMs = 10_000;

/** Requests for the same pull request at the same time share the work. Each server in a process has its own map. */
const underWay = new WeakMap<object, JoinedWork<void>>();

/**
 * Returns a pull request as it is when it was worked out whether it can be merged, and what is in it. What is known already costs nothing. After
 * some seconds it is returned as it is. null when it is gone.
 */
export async function freshPull(forge: Forge, found: IssueAndPull): Promise<IssueAndPull | null> {
  if (!isStale(found)) {
    return found;
  }
  let timer: Timer | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, patienceMs);
  });
  await Promise.race([refreshPull(forge, found.issue.id), patience]).finally(() => clearTimeout(timer));
  return findPullById(forge.database.db, found.issue.id);
}

/**
 * Works out all stale pull requests of a repository. One that cannot be done keeps none of the others. While its branches move, as
 * with one merge after another, it waits: what is worked out then is overtaken by the next.
 */
export async function refreshPulls(forge: Forge, repositoryId: number, signal: AbortSignal): Promise<void> {
  const { db } = forge.database;
  let patience = longestWaitMs;
  for (let after = 0; ;) {
    patience -= await waitForRest(forge, repositoryId, patience, signal);
    const began = performance.now();
    const stale = await listStale(db, repositoryId, after, together);
    const done = await refreshTogether(forge, repositoryId, stale, signal);
    if (done === null) {
      return;
    }
    after = done;
    // No request waits for these: a read computes the state at once. So other work gets half of the time.
    await Bun.sleep(Math.min(performance.now() - began, longestPauseMs));
  }
}

/** Waits until the branches of a repository have been at rest for a moment, but not longer than `patience`. Returns for how long it has, ms. */
async function waitForRest(forge: Forge, repositoryId: number, patience: number, signal: AbortSignal): Promise<number> {
  const began = performance.now();
  for (;;) {
    signal.throwIfAborted();
    const rested = (await findRestMs(forge.database.db, repositoryId)) ?? restMs;
    const waited = performance.now() - began;
    if (rested >= restMs || waited >= patience) {
      return waited;
    }
    // The clock may have been put back.
    await Bun.sleep(Math.min(restMs - rested, restMs));
  }
}

/**
 * Works out the first of these, stale ones of a repository, and stores them together. Returns the id of the issue of the last one; null where there
 * was none. What a push has overtaken meanwhile is left: a job for it waits already.
 */
async function refreshTogether(
  forge: Forge,
  repositoryId: number,
  stale: readonly StalePull[],
  signal: AbortSignal,
): Promise<number | null> {
  const base = stale.length === 0 ? null : await findStoredRepository(forge.database.db, repositoryId);
  if (base === null) {
    return null;
  }
  const view = await forge.git.views.current(base.repository);
  const until = performance.now() + longestTogetherMs;
  const checked: CheckedPull[] = [];
  let last: number | null = null;
  for (const one of stale) {
    signal.throwIfAborted();
    if (one.isFork) {
      await refreshPull(forge, one.issueId);
    } else {
      checked.push({ ...one, preview: await preview(forge, base, view, one) });
    }
    last = one.issueId;
    if (performance.now() > until) {
      break;
    }
  }
  if (checked.length > 0) {
    await store(forge, checked);
  }
  return last;
}

function isStale({ pull }: IssueAndPull): boolean {
  return pull.open && pull.mergeability === "checking";
}

function refreshPull(forge: Forge, issueId: number): Promise<void> {
  const joined = underWay.get(forge.database) ?? new JoinedWork<void>();
  underWay.set(forge.database, joined);
  return joined.do(String(issueId), () => refresh(forge, issueId));
}

async function refresh(forge: Forge, issueId: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const found = await findPullById(forge.database.db, issueId);
    const base = found === null ? null : await findStoredRepository(forge.database.db, found.pull.baseRepositoryId);
    if (found === null || base === null || !isStale(found)) {
      return;
    }
    if (await followFork(forge, base, found)) {
      continue;
    }
    const { baseOid, headOid } = found.pull;
    const view = await forge.git.views.current(base.repository);
    const worked = await preview(forge, base, view, { baseOid, headOid, number: found.issue.number });
    const checked = { issueId, baseOid, headOid, preview: worked };
    const stored = await store(forge, [checked]);
    if (stored.has(issueId)) {
      return;
    }
  }
}

/** Stores what was worked out, and has open pages show it. Returns the pull requests that had not moved meanwhile. */
function store(forge: Forge, checked: readonly CheckedPull[]): Promise<ReadonlySet<number>> {
  return forge.change(serverDoer(reason), async (work) => {
    const stored = await storeChecked(work.tx, checked);
    for (const id of stored) {
      work.refresh(`issue:${id}`);
    }
    return stored;
  });
}

/** null where the engine could not do it, as with files that take too long to compare. */
async function preview(
  forge: Forge,
  base: StoredRepository,
  view: RepositoryView,
  { baseOid, headOid, number }: Pick<StalePull, "baseOid" | "headOid" | "number">,
): Promise<MergePreview | null> {
  try {
    return await forge.git.engine.call(view, "previewMerge", {
      base: baseOid,
      head: headOid,
      maxConflicts: mostConflicts,
    });
  } catch (error) {
    if (error instanceof StithyError && error.kind === "busy") {
      throw error;
    }
    forge.log.warn(
      { pull: number, repository: base.repository.id, ...describeError(error) },
      "A merge could not be tried",
    );
    return null;
  }
}

/** Brings the head of a fork to where its branch is. Returns whether that changed anything. */
async function followFork(forge: Forge, base: StoredRepository, { pull }: IssueAndPull): Promise<boolean> {
  const { headRepositoryId, headBranch } = pull;
  if (headRepositoryId === null || headRepositoryId === base.repository.id || pull.flow !== "branch") {
    return false;
  }
  const { db } = forge.database;
  const head = await findStoredRepository(db, headRepositoryId);
  const tip = head === null ? null : await findTip(db, headRepositoryId, headBranch);
  if (head === null || tip === null || tip === pull.headOid) {
    return false;
  }
  return againIfRepacked(() =>
    bringHead(forge, base, head, pull.issueId, { from: pull.headOid, own: pull.baseOid, branch: headBranch, tip }),
  );
}

async function bringHead(
  forge: Forge,
  base: StoredRepository,
  head: StoredRepository,
  issueId: number,
  { from, own, branch, tip }: { from: string; own: string; branch: string; tip: string },
): Promise<boolean> {
  const { views } = forge.git;
  const view = jointView(await views.current(base.repository), await views.current(head.repository));
  await using scratch = await ScratchDirectory.make(forge.files.temporaryDirectory);
  const brought = await bringObjects(forge, base, { parent: head, view, own, theirs: tip }, scratch.path);
  const packs = brought.pack === null ? [] : [brought.pack];
  // They pushed to a fork, and the server brings it here: it is still theirs.
  const last = await findLastMove(forge.database.db, head.repository.id, `refs/heads/${branch}`);
  const pusherId = last?.newOid === tip ? last.actorId : null;
  const pusher = pusherId === null ? null : (await forge.identity.findSubject({ userId: pusherId }, {})).actor;
  return await forge.change(serverDoer(reason, pusher), { packs }, async (unit) => {
    const { tx } = unit;
    const before = await findPullById(tx, issueId);
    if (before === null || !before.pull.open || before.pull.headOid !== from) {
      return true;
    }
    const { number } = before.issue;
    await moveRefs(unit, {
      repository: namedRepository(base),
      changes: [{ name: headRef(number), oldOid: from, newOid: tip, peeled: null }],
      reason: pullReason,
      packs,
      checkedIn: brought.view,
    });
    await linkObjectsOf(tx, head.repository.id, base.repository.id, brought.lfsOids, number);
    await setTips(tx, issueId, { headOid: tip });
    const repository = namedRepository(base);
    unit.tell({ kind: "pull.synchronized", repository, issue: namedIssue(before.issue), oldHead: from, newHead: tip });
    return true;
  });
}
