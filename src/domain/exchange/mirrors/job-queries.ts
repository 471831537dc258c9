import { sql } from "drizzle-orm";
import type { Reader, Transaction } from "../../../db/client.ts";
import { job } from "../../../db/schema/jobs.ts";
import { pullMirror, pushMirror } from "../../../db/schema/mirrors.ts";
import { repository } from "../../../db/schema/repositories.ts";
import type { MirrorRef } from "./queries.ts";

/** How many mirrors one look takes up. */
const most = 1000;

/**
 * Mirrors with an interval of which no job waits or runs. Not those that rest: pull mirrors that are archived, or that a migration has not
 * filled yet.
 */
export async function listMirrorsWithoutJob(db: Reader): Promise<MirrorRef[]> {
  const rows = await db.execute<MirrorRef & Record<string, unknown>>(sql`
    select mirror.direction, mirror.id::float8 as id, repository.owner_id::float8 as "ownerId"
    from (
      select 'pull' as direction, repository_id as id, repository_id, interval_seconds, tried_at is null as filling from ${pullMirror}
      union all
      select 'push', id, repository_id, interval_seconds, false from ${pushMirror}) mirror
    join ${repository} on repository.id = mirror.repository_id
    where interval_seconds > 0 and not filling and (direction = 'push' or repository.archived_at is null)
      and not exists (select from ${job} where kind = direction || '-mirror' and key = mirror.id::text and state <> 'dead')
    limit ${most}`);
  return rows.map(({ direction, id, ownerId }) => ({ direction, id, ownerId }));
}

/** Removes jobs that wait for the time of a mirror that is gone. */
export async function deleteJobsOfNoMirror(tx: Transaction): Promise<void> {
  await tx.execute(sql`
    delete from ${job} where state = 'waiting' and run_at > now() and (
      kind = 'pull-mirror' and key not in (select repository_id::text from ${pullMirror})
      or kind = 'push-mirror' and key not in (select id::text from ${pushMirror}))`);
}
