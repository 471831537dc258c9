import { and, eq, inArray, isNotNull, sql } from "drizzle-orm";
import { accessColumns } from "../../../auth/access-sql.ts";
import { unitMode } from "../../../auth/unit-modes.ts";
import type { Reader } from "../../../db/client.ts";
import { accessModes, account, owner } from "../../../db/schema/owners.ts";
import { pull } from "../../../db/schema/pulls.ts";
import { repository } from "../../../db/schema/repositories.ts";

/** A branch with an open pull request that lets those push to it who may write to the code of its base. */
export interface MaintainedBranch {
  /** Id of the pull request's issue. */
  pullId: number;
  /** Short name. */
  branch: string;
  baseId: number;
  /** `owner/name`. */
  baseName: string;
  /** The user who lets them, and may push to the branch. */
  giverId: number;
}

/**
 * Lists which branches of a repository others may push to, and whose maintainers, ordered by pull request. A pull request counts only while the user
 * who lets maintainers edit may push to the branch: nobody gives a right longer than they have it. `branches`: of these alone.
 */
export async function listMaintained(
  db: Reader,
  repositoryId: number,
  branches?: readonly string[],
): Promise<MaintainedBranch[]> {
  const rows = await db
    .select({
      pullId: pull.issueId,
      branch: pull.headBranch,
      giverId: pull.maintainerEditById,
      baseId: repository.id,
      owner: owner.name,
      name: repository.name,
    })
    .from(pull)
    .innerJoin(repository, eq(repository.id, pull.baseRepositoryId))
    .innerJoin(owner, eq(owner.id, repository.ownerId))
    .where(
      and(
        eq(pull.headRepositoryId, repositoryId),
        branches === undefined ? undefined : inArray(pull.headBranch, [...branches]),
        eq(pull.open, true),
        eq(pull.flow, "branch"),
        eq(pull.allowMaintainerEdit, true),
        isNotNull(pull.maintainerEditById),
      ),
    )
    .orderBy(pull.issueId);
  const pushers = await findPushers(db, repositoryId, [...new Set(rows.flatMap(({ giverId }) => giverId ?? []))]);
  return rows.flatMap(({ owner: baseOwner, name, giverId, ...row }) =>
    giverId === null || !pushers.has(giverId) ? [] : [{ ...row, giverId, baseName: `${baseOwner}/${name}` }],
  );
}

const reader = {
  id: sql`${account.ownerId}`,
  isAdmin: sql`${account.isAdmin}`,
  restricted: sql`${account.restricted}`,
};

/** Returns the users who may push to a repository. */
async function findPushers(db: Reader, repositoryId: number, userIds: readonly number[]): Promise<Set<number>> {
  if (userIds.length === 0) {
    return new Set();
  }
  const rows = await db
    .select({ id: account.ownerId, hasCode: repository.hasCode, modes: accessColumns(reader) })
    .from(account)
    .innerJoin(repository, eq(repository.id, repositoryId))
    .innerJoin(owner, eq(owner.id, repository.ownerId))
    .where(and(inArray(account.ownerId, [...userIds]), account.active, sql`not ${account.suspended}`));
  const mayPush = rows.filter(({ hasCode, modes }) => unitMode(hasCode, modes, "code") >= accessModes.write);
  return new Set(mayPush.map(({ id }) => id));
}
