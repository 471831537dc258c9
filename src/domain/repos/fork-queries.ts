import { and, asc, eq, isNotNull, or, sql } from "drizzle-orm";
import type { Reader } from "../../db/client.ts";
import { issue } from "../../db/schema/issues.ts";
import { pull } from "../../db/schema/pulls.ts";
import { repository } from "../../db/schema/repositories.ts";

/** The ids of the forks of these repositories, and of what they are forks of themselves. */
export async function findRelatives(
  db: Reader,
  ids: readonly number[],
): Promise<{ forks: number[]; parents: number[] }> {
  const given = sql`any(${sql.param([...ids])}::bigint[])`;
  const rows = await db
    .select({ id: repository.id, forkOf: repository.forkOf })
    .from(repository)
    .where(
      and(isNotNull(repository.forkOf), or(sql`${repository.id} = ${given}`, sql`${repository.forkOf} = ${given}`)),
    );
  const asked = new Set(ids);
  return {
    forks: rows.flatMap(({ id }) => (asked.has(id) ? [] : [id])),
    parents: rows.flatMap(({ id, forkOf }) => (asked.has(id) && forkOf !== null ? [forkOf] : [])),
  };
}

/** An open pull request of one repository that is from another. */
interface OpenHead {
  issueId: number;
  baseId: number;
  headId: number;
}

/** The open pull requests from these repositories to others, in the order of their ids. `lock`: they stay as they are until the transaction ends. */
export async function findOpenHeads(db: Reader, ids: readonly number[], lock: boolean): Promise<OpenHead[]> {
  const given = sql`any(${sql.param([...ids])}::bigint[])`;
  const query = db
    .select({
      issueId: issue.id,
      baseId: pull.baseRepositoryId,
      headId: sql<number>`${pull.headRepositoryId}`.mapWith(Number),
    })
    .from(issue)
    .innerJoin(pull, eq(pull.issueId, issue.id))
    .where(
      and(
        eq(pull.open, true),
        sql`${pull.headRepositoryId} = ${given}`,
        sql`${pull.baseRepositoryId} <> all(${sql.param([...ids])}::bigint[])`,
      ),
    )
    .orderBy(asc(issue.id));
  return lock ? query.for("no key update") : query;
}

/** Whether a fork `child` must be private, so that nobody sees it who may not see its parent: the rule of isParentHidden (repos/forks/privacy.ts). */
export const hiddenParentSql = sql`(parent.private or (parent.owner_id <> child.owner_id
  and (parent_owner.visibility = 'private' or (parent_owner.visibility = 'limited' and child_owner.visibility = 'public'))))`;

/** Forks with their parents and the owners of both. */
export const forksWithParents = sql`repository child join repository parent on parent.id = child.fork_of
  join owner parent_owner on parent_owner.id = parent.owner_id join owner child_owner on child_owner.id = child.owner_id`;

/** Whether a repository is a fork that has to be private. */
export async function isForkOfHidden(db: Reader, id: number): Promise<boolean> {
  const rows = await db.execute(sql`select from ${forksWithParents} where child.id = ${id} and ${hiddenParentSql}`);
  return rows.length > 0;
}
