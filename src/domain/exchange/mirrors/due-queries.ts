import { sql, type SQL } from "drizzle-orm";
import type { Reader } from "../../../db/client.ts";
import { pullMirror, pushMirror } from "../../../db/schema/mirrors.ts";
import { repository } from "../../../db/schema/repositories.ts";
import type { MirrorRef } from "./queries.ts";

export interface DueBounds {
  /** For all owners together. */
  readonly mostAtOnce: number;
  /** For one owner, including those that are under way. */
  readonly mostOfOwner: number;
  /** How many of an owner are under way. */
  readonly underWay: ReadonlyMap<number, number>;
}

/** Pull mirrors that are due, of each owner the longest due: first of each owner one, then of each a second one, and so on. */
export function findDuePullMirrors(db: Reader, now: Date, bounds: DueBounds): Promise<MirrorRef[]> {
  const due = sql`
    select ${repository.id} as id, ${repository.ownerId} as owner_id, ${pullMirror.nextAt} as next_at
    from ${pullMirror} join ${repository} on ${repository.id} = ${pullMirror.repositoryId}
    where ${pullMirror.nextAt} <= ${now.toISOString()}::timestamptz`;
  return firstOfEach(db, due, bounds);
}

/** Finds the push mirrors that are due. */
export function findDuePushMirrors(db: Reader, now: Date, bounds: DueBounds): Promise<MirrorRef[]> {
  const due = sql`
    select ${pushMirror.id} as id, ${repository.ownerId} as owner_id, ${pushMirror.nextAt} as next_at
    from ${pushMirror} join ${repository} on ${repository.id} = ${pushMirror.repositoryId}
    where ${pushMirror.nextAt} <= ${now.toISOString()}::timestamptz`;
  return firstOfEach(db, due, bounds);
}

async function firstOfEach(
  db: Reader,
  due: SQL,
  { mostAtOnce, mostOfOwner, underWay }: DueBounds,
): Promise<MirrorRef[]> {
  const rows = await db.execute<{ id: number; ownerId: number }>(sql`
    select id::float8 as id, owner_id::float8 as "ownerId" from (
      select due.*, row_number() over (partition by owner_id order by next_at, id) as place from (${due}) due) due
    left join unnest(${sql.param([...underWay.keys()])}::bigint[], ${sql.param([...underWay.values()])}::bigint[])
      as busy (of_owner, jobs) on busy.of_owner = owner_id
    where place <= ${mostOfOwner}::bigint - coalesce(jobs, 0)
    order by place, next_at, id limit ${mostAtOnce}`);
  return rows.map(({ id, ownerId }) => ({ id, ownerId }));
}
