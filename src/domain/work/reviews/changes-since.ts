import type { RepositoryAccess } from "../../../auth/subject.ts";
import { isWholeOid } from "../../../git/refs/ref-name.ts";
import type { RepositoryView } from "../../../git/job/repository-view.ts";
import { MissingObject } from "../../../git/odb/object-database.ts";
import type { RangeDiffResult } from "../../../git/operations/range-diff.ts";
import { clip } from "../../../lib/show-value.ts";
import { NotFound } from "../../spine/errors.ts";
import type { Forge } from "../../spine/forge.ts";
import { wasHead } from "./head-queries.ts";
import type { IssueAndPull } from "../pulls/queries.ts";

/** What became of a pull request between two states of it. */
export interface ChangesSince {
  readonly view: RepositoryView;
  /** Whole oids, hexadecimal. */
  readonly from: string;
  readonly to: string;
  /** Whether the second state has all commits of the first: then their files are compared. */
  readonly isForward: boolean;
}

/** The bounds of a comparison of two series of commits. */
const rangeBounds = { maxCommits: 200, maxBytes: 4 * 1024 * 1024, maxLines: 3000 };

/**
 * Finds two states of a pull request by their commits: heads that it has or once had, and commits of its history. Others are nobody's to see here.
 * Throws NotFound, also where a commit is not kept any more.
 */
export async function findChangesSince(
  forge: Forge,
  { repository }: RepositoryAccess,
  { issue, pull }: IssueAndPull,
  { from, to }: { from: string; to: string },
  signal?: AbortSignal,
): Promise<ChangesSince> {
  const { engine, views } = forge.git;
  const view = await views.current(repository);
  const known = async (oid: string): Promise<boolean> =>
    isWholeOid(oid) &&
    (oid === pull.headOid ||
      (await wasHead(forge.database.db, issue, Buffer.from(oid, "hex"))) ||
      (await engine.call(view, "isAncestor", { ancestor: oid, descendant: pull.headOid }, signal)));
  for (const oid of [from, to]) {
    if (!(await ifKept(() => known(oid)))) {
      throw new NotFound("state of the pull request", clip(oid, 80));
    }
  }
  const isForward = await ifKept(() => engine.call(view, "isAncestor", { ancestor: from, descendant: to }, signal));
  if (isForward === null) {
    throw new NotFound("state of the pull request", clip(from, 80));
  }
  return { view, from, to, isForward };
}

/** Compares the commits of two states over a rebase; null: there are too many of them. */
export function compareStates(
  { git }: Forge,
  { pull }: Pick<IssueAndPull, "pull">,
  { view, from, to }: ChangesSince,
  signal?: AbortSignal,
): Promise<RangeDiffResult> {
  const args = { before: from, after: to, not: [pull.baseOid], ...rangeBounds };
  return git.engine.call(view, "rangeDiff", args, signal);
}

/** null where an object is not kept any more. */
async function ifKept<Answer>(ask: () => Promise<Answer>): Promise<Answer | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof MissingObject) {
      return null;
    }
    throw error;
  }
}
