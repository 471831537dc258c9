import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { CommitRecord } from "../../git/log/commit-record.ts";
import type { RepositoryView } from "../../git/job/repository-view.ts";
import { listPullCommits, type PullRange } from "../../domain/work/pulls/range.ts";
import { checkBefore } from "../../domain/work/reviews/place-seen.ts";
import { checkCommit } from "../../domain/work/reviews/place-comments.ts";
import type { ReviewedPull } from "../../domain/work/reviews/queries.ts";
import { InvalidInput } from "../../lib/errors.ts";

/** The part of a pull request that a page of its files shows. Commits, hexadecimal. */
export interface Seen {
  readonly view: RepositoryView;
  readonly before: string | null;
  readonly after: string;
  readonly head: string;
  readonly isWhole: boolean;
  /** As the address names the part; empty: all of it. */
  readonly name: string;
}

/** More commits are no choice of the menu. */
const mostCommits = 100;

/**
 * Reads the part of an address: all of it, one commit, or the commits after one up to another one (`a..b`). Throws NotFound
 * for commits that the pull request has not, and never had.
 */
export async function readSeen(
  forge: Forge,
  pulled: ReviewedPull,
  { view, before, after }: PullRange,
  name: string,
): Promise<Seen> {
  if (name === "") {
    return { view, before, after, head: after, isWhole: true, name };
  }
  const [, first = "", last] = /^([0-9a-f]{40,64})(?:\.\.([0-9a-f]{40,64}))?$/.exec(name) ?? [];
  try {
    const to = await checkCommit(forge, view, pulled, last ?? first);
    if (last !== undefined) {
      const from = await checkBefore(forge, view, first, to);
      return { view, before: from, after: to, head: after, isWhole: from === before && to === after, name };
    }
    const [parent = null] = (await forge.git.commits.get(view, to)).parents;
    return { view, before: parent, after: to, head: after, isWhole: parent === before && to === after, name };
  } catch (error) {
    if (error instanceof InvalidInput) {
      throw new NotFound("commit of the pull request", name);
    }
    throw error;
  }
}

/** Names the part that has two commits of a pull request and those between them. Throws NotFound. */
export async function nameRange(
  forge: Forge,
  view: RepositoryView,
  pulled: ReviewedPull,
  from: string,
  to: string,
): Promise<string> {
  try {
    const first = await checkCommit(forge, view, pulled, from);
    const [parent] = (await forge.git.commits.get(view, first)).parents;
    const last = await checkCommit(forge, view, pulled, to);
    return parent === undefined || first === last ? last : `${parent}..${last}`;
  } catch (error) {
    throw error instanceof InvalidInput ? new NotFound("commit of the pull request", from) : error;
  }
}

/** The commits that a pull request brings, the first one first. */
export async function listSeenCommits(forge: Forge, range: PullRange, signal: AbortSignal): Promise<CommitRecord[]> {
  const { commits } = await listPullCommits(forge, range, { skip: 0, limit: mostCommits, files: false }, signal);
  return commits.toReversed();
}
