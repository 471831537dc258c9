import type { RepositoryView } from "../../../git/job/repository-view.ts";
import { MissingObject } from "../../../git/odb/object-database.ts";
import { serverDoer } from "../../spine/doer.ts";
import type { Event } from "../../spine/events.ts";
import { namedRepository } from "../../spine/events/names.ts";
import type { Forge } from "../../spine/forge.ts";
import { namedIssue } from "../issues/named-issue.ts";
import { loadRules } from "../../git/protections/rule-queries.ts";
import type { Work } from "../../spine/work.ts";
import { moveLineComments, staleLineComments, type LineComment } from "./comment-queries.ts";
import { dismiss } from "./dismiss-review.ts";
import { findPullToFollow, listStaleReviews, markStale, markFresh, type PullToFollow } from "./follow-queries.ts";
import { findMergeBase } from "./place-comments.ts";
import { lockPullRow, type ReviewRow } from "./queries.ts";
import { followPull, followReason } from "./write-review.ts";

const hexOf = (oid: Uint8Array) => Buffer.from(oid).toString("hex");

/** Heads that move while they are followed are followed again, so often; each push has a job of its own. */
const rounds = 3;

/** Commits of reviews that are compared with the head; reviews of more are stale. */
const maxCompared = 20;

/** The message of a dismissal by a rule. */
const dismissedByPush = "Commits were pushed after this approval, and the protection of the branch dismisses it";

/**
 * Subscriber: when the head of a pull request moves, its reviews are stale at once, so that no merge counts them. A job finds out afterwards which
 * are not, because the new head makes the same changes, and moves the comments on lines. The base may be another one, too.
 */
export async function followHeads(work: Work, event: Event): Promise<void> {
  if (event.kind === "pull.synchronized") {
    await markStale(work.tx, event.issue.id, Buffer.from(event.newHead, "hex"));
  }
  if (event.kind === "pull.synchronized" || event.kind === "pull.retargeted") {
    await work.enqueueForServer(followReason, followPull(event.issue.id));
  }
}

/** Brings the reviews of a pull request to where its head is: which are stale, and where their comments are. */
export async function followPullHead(forge: Forge, issueId: number, signal: AbortSignal): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    signal.throwIfAborted();
    const found = await findPullToFollow(forge.database.db, issueId);
    if (found === null || (await followOnce(forge, found, signal))) {
      return;
    }
  }
}

/** Returns false when the head moved meanwhile. */
async function followOnce(forge: Forge, found: PullToFollow, signal: AbortSignal): Promise<boolean> {
  const { pull, repository } = found;
  const { db } = forge.database;
  const view = await forge.git.views.current(repository);
  const head = hexOf(pull.headOid);
  const base = await findMergeBase(forge, view, found, head);
  const stale = await listStaleReviews(db, pull.issueId);
  const fresh = await findSameChanges(forge, view, found, stale, { before: base, after: head });
  const same = stale.filter(({ commitOid }) => commitOid !== null && fresh.has(hexOf(commitOid))).map(({ id }) => id);
  signal.throwIfAborted();
  const comments = await staleLineComments(db, pull.issueId, {
    head: pull.headOid,
    base: base === null ? new Uint8Array() : Buffer.from(base, "hex"),
  });
  const moves = await findMoves(forge, view, comments, { head, base });
  return forge.change(serverDoer(followReason), async (work) => {
    const { tx } = work;
    const locked = await lockPullRow(tx, pull.issueId);
    if (locked === null || !Buffer.from(locked.headOid).equals(pull.headOid)) {
      return locked === null;
    }
    if (same.length > 0) {
      await markFresh(tx, pull.issueId, same);
      const told = { repository: namedRepository(found), issue: namedIssue(found.issue) };
      work.tell({ kind: "pull.reviews-renewed", ...told });
    }
    await moveLineComments(tx, moves);
    await dismissStale(
      work,
      found,
      stale.filter(({ id }) => !same.includes(id)),
    );
    return true;
  });
}

/** Finds those of the reviewed commits that make the same changes as the head. Only the latest ones are compared. */
async function findSameChanges(
  forge: Forge,
  view: RepositoryView,
  found: PullToFollow,
  stale: readonly ReviewRow[],
  head: { before: string | null; after: string },
): Promise<ReadonlySet<string>> {
  const commits = stale.flatMap(({ commitOid }) => (commitOid === null ? [] : [hexOf(commitOid)]));
  const others: { before: string | null; after: string }[] = [];
  for (const after of [...new Set(commits.toReversed())].slice(0, maxCompared)) {
    try {
      others.push({ before: await findMergeBase(forge, view, found, after), after });
    } catch (error) {
      // A commit of a former head that no ref has any more.
      if (!(error instanceof MissingObject)) {
        throw error;
      }
    }
  }
  if (others.length === 0) {
    return new Set();
  }
  const same = await forge.git.engine.call(view, "sameChanges", { of: head, others });
  return new Set(others.flatMap(({ after }, at) => (same[at] === true ? [after] : [])));
}

/** Where comments on lines are now, each side in the tree that it is of. */
async function findMoves(
  forge: Forge,
  view: RepositoryView,
  comments: readonly LineComment[],
  { head, base }: { head: string; base: string | null },
) {
  const moves: Parameters<typeof moveLineComments>[1][number][] = [];
  for (const side of ["old", "new"] as const) {
    const ofSide = comments.filter(({ place }) => place.side === side);
    const to = side === "old" ? base : head;
    const lines = ofSide.map(({ place: { commitOid, path, line, extraLines } }) => ({
      from: hexOf(commitOid),
      path,
      line,
      extraLines,
    }));
    const places =
      to === null || lines.length === 0 ? [] : await forge.git.engine.call(view, "followLines", { to, lines });
    for (const [at, { comment }] of ofSide.entries()) {
      const place = places[at] ?? null;
      moves.push({ id: comment.id, place: place === null || to === null ? null : { ...place, commit: to } });
    }
  }
  return moves;
}

/** Dismisses approvals that are stale where the rule of the base branch says so. */
async function dismissStale(work: Work, { pull, issue, repository, owner }: PullToFollow, stale: readonly ReviewRow[]) {
  const approvals = stale.filter(({ kind, dismissed }) => kind === "approve" && !dismissed);
  if (approvals.length === 0) {
    return;
  }
  const { branches } = await loadRules(work.tx, repository.id, null);
  if (branches.find(pull.baseBranch)?.dismissStaleApprovals === true) {
    for (const row of approvals) {
      await dismiss(work, { repository, owner }, { issue }, row, dismissedByPush);
    }
  }
}
