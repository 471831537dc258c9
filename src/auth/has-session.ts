import { sql } from "drizzle-orm";
import type { Database } from "../db/client.ts";
import { session } from "../db/schema/credentials.ts";
import { networkOf } from "./failed-sign-ins.ts";

/** Whether a browser in the network of this address has a session of the account. */
export type HasSession = (userId: number, address: string) => Promise<boolean>;

/** How many of the newest sessions are compared. */
const sessionsLookedAt = 200;

export function prepareHasSession(db: Database): HasSession {
  const addresses = db
    .select({ address: session.address })
    .from(session)
    .where(
      sql`${session.userId} = ${sql.placeholder("userId")} and ${session.state} = 'signed-in' and ${session.expiresAt} > now()`,
    )
    .orderBy(sql`${session.id} desc`)
    .limit(sessionsLookedAt)
    .prepare("addresses_of_sessions");
  return async (userId, address) => {
    const network = networkOf(address);
    return (await addresses.execute({ userId })).some((row) => networkOf(row.address) === network);
  };
}
