import { and, isNotNull, or, sql } from "drizzle-orm";
import type { Reader } from "../../db/client.ts";
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

/** Whether a fork `child` must be private, so that nobody sees it who may not see its parent: the rule of isParentHidden (forks/privacy.ts). */
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
