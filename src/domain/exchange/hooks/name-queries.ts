import { eq, sql } from "drizzle-orm";
import type { Reader } from "../../../db/client.ts";
import { hook } from "../../../db/schema/hooks.ts";
import { owner } from "../../../db/schema/owners.ts";
import { repository } from "../../../db/schema/repositories.ts";

/** The address and the owner of a hook, for a mail about it. */
export async function findHookNames(db: Reader, id: number): Promise<{ url: string; place: string } | null> {
  const holder = sql`(select ${owner.name} from ${owner} where ${owner.id} = ${hook.ownerId})`;
  const whole = sql`(select ${owner.name} || '/' || ${repository.name} from ${repository}
    join ${owner} on ${owner.id} = ${repository.ownerId} where ${repository.id} = ${hook.repositoryId})`;
  const [row] = await db
    .select({ url: hook.url, place: sql<string>`coalesce(${holder}, ${whole}, 'this server')` })
    .from(hook)
    .where(eq(hook.id, id));
  return row ?? null;
}
