import { sql } from "drizzle-orm";
import type { Reader } from "../../db/client.ts";
import { account } from "../../db/schema/owners.ts";

/** How many users there are, and how many of them signed in lately. */
export interface UserCounts {
  total: number;
  activeHalfYear: number;
  activeMonth: number;
}

const since = (days: number) =>
  sql<number>`(count(*) filter (where ${account.lastSignInAt} > now() - make_interval(days => ${days})))::integer`;

/** Counts all accounts, in one pass over their rows. */
export async function countUsers(db: Reader): Promise<UserCounts> {
  const [row] = await db
    .select({ total: sql<number>`count(*)::integer`, activeHalfYear: since(180), activeMonth: since(30) })
    .from(account);
  return row ?? { total: 0, activeHalfYear: 0, activeMonth: 0 };
}
