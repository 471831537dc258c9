import { sql } from "drizzle-orm";
import type { Transaction } from "../../../db/client.ts";
import { notification } from "../../../db/schema/notifications.ts";

const atOnce = 1000;

/** Deletes notifications that were read, of what happened last so many days ago; at most 1,000. Returns how many these were. */
export async function deleteReadNotifications(tx: Transaction, days: number): Promise<number> {
  const rows = await tx.execute(sql`delete from ${notification} where ${notification.id} in (
      select ${notification.id} from ${notification}
      where ${notification.status} = 'read' and ${notification.updatedAt} < now() - make_interval(days => ${days})
      order by ${notification.updatedAt} limit ${atOnce} for update skip locked)
    returning 1`);
  return rows.length;
}
