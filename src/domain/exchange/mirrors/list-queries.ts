import { sql } from "drizzle-orm";
import type { Reader } from "../../../db/client.ts";
import { pullMirror, pushMirror } from "../../../db/schema/mirrors.ts";
import { owner } from "../../../db/schema/owners.ts";
import { repository } from "../../../db/schema/repositories.ts";

export interface ListedMirror {
  /** owner/name */
  repository: string;
  direction: "pull" | "push";
  address: string;
  /** `SHA256:…` of the SSH server's key, as it was met first; null: it was not met, or the address is none of SSH. */
  hostKey: string | null;
  lastError: string;
}

/** Mirrors of all repositories, those of a repository together. */
export async function listMirrors(
  db: Reader,
  { size, offset }: { size: number; offset: number },
): Promise<ListedMirror[]> {
  const rows = await db.execute<ListedMirror & Record<string, unknown>>(sql`
    select ${owner.name} || '/' || ${repository.name} as repository, mirror.direction, mirror.address,
      mirror.host_key as "hostKey", mirror.last_error as "lastError"
    from (
      select repository_id, 'pull' as direction, 0 as id, address, host_key, last_error from ${pullMirror}
      union all
      select repository_id, 'push', id, address, host_key, last_error from ${pushMirror}) mirror
    join ${repository} on ${repository.id} = mirror.repository_id
    join ${owner} on ${owner.id} = ${repository.ownerId}
    order by mirror.repository_id, mirror.id limit ${size} offset ${offset}`);
  return [...rows];
}
