import { sql } from "drizzle-orm";
import type { Reader } from "../../../db/client.ts";

/**
 * The repositories of an owner that have to do with a base, by their ids, the nearest first: the base itself, its forks, what it is a
 * fork of, other forks of that. With a name, the repository of that name, if it descends from what the base descends from.
 */
export async function findRelatives(
  db: Reader,
  baseId: number,
  ownerName: string,
  name: string | null,
): Promise<number[]> {
  const called = name === null ? sql`true` : sql`repository.lower_name = ${name.toLowerCase()}`;
  const rows = await db.execute<{ id: string }>(sql`
    with recursive above as (
      select id, fork_of, 0 as height from repository where id = ${baseId}
      union all
      select parent.id, parent.fork_of, above.height + 1 from above join repository parent on parent.id = above.fork_of),
    candidate as (
      select repository.id, repository.fork_of from repository join owner on owner.id = repository.owner_id
      where owner.lower_name = ${ownerName.toLowerCase()} and ${called}
        and (repository.fork_of is not null or repository.id in (select id from above))),
    descent as (
      select candidate.id, candidate.id as at, candidate.fork_of as next, 0 as height from candidate
      union all
      select descent.id, parent.id, parent.fork_of, descent.height + 1 from descent join repository parent on parent.id = descent.next)
    select descent.id, min(descent.height + above.height) as distance from descent join above on above.id = descent.at
    group by descent.id order by distance, descent.id`);
  return rows.map(({ id }) => Number(id));
}
