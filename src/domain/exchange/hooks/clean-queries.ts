import { sql } from "drizzle-orm";
import type { Transaction } from "../../../db/client.ts";
import { hook, hookDelivery, hookEvent } from "../../../db/schema/hooks.ts";
import { owner } from "../../../db/schema/owners.ts";
import { repository } from "../../../db/schema/repositories.ts";

/** Removes deliveries that ended longer ago, at most so many; returns how many. */
export async function deleteOldDeliveries(tx: Transaction, olderThanDays: number, limit: number): Promise<number> {
  const gone = await tx.execute(sql`
    delete from ${hookDelivery} where ${hookDelivery.id} in (
      select ${hookDelivery.id} from ${hookDelivery}
      where ${hookDelivery.state} <> 'waiting'
        and ${hookDelivery.createdAt} < now() - make_interval(days => ${olderThanDays}::integer)
      order by ${hookDelivery.createdAt} limit ${limit} for update skip locked)
    returning ${hookDelivery.id}`);
  return gone.length;
}

/** Removes events that no delivery is of any more, among so many of the oldest; returns how many. */
export async function deleteLeftEvents(tx: Transaction, limit: number): Promise<number> {
  const gone = await tx.execute(sql`
    delete from ${hookEvent} where ${hookEvent.id} in (
      select ${hookEvent.id} from ${hookEvent}
      where ${hookEvent.hookIds} is null
        and not exists (select from ${hookDelivery} where ${hookDelivery.eventId} = ${hookEvent.id})
      order by ${hookEvent.id} limit ${limit} for update skip locked)
    returning ${hookEvent.id}`);
  return gone.length;
}

/** Removes the hooks of repositories and owners that are gone, once nothing waits for them; returns how many. */
export async function deleteLeftHooks(tx: Transaction, limit: number): Promise<number> {
  const gone = await tx.execute(sql`
    delete from ${hook} where ${hook.id} in (
      select ${hook.id} from ${hook}
      where (${hook.repositoryId} is not null
          and not exists (select from ${repository} where ${repository.id} = ${hook.repositoryId})
        or ${hook.ownerId} is not null and not exists (select from ${owner} where ${owner.id} = ${hook.ownerId}))
        and not exists (
          select from ${hookDelivery} where ${hookDelivery.hookId} = ${hook.id} and ${hookDelivery.state} = 'waiting')
        and not exists (
          select from ${hookEvent} where ${hookEvent.makeAt} is not null and ${hook.id} = any(${hookEvent.hookIds}))
      order by ${hook.id} limit ${limit} for update skip locked)
    returning ${hook.id}`);
  return gone.length;
}
