import { sql } from "drizzle-orm";
import type { Database } from "../db/client.ts";
import { session } from "../db/schema/credentials.ts";
import { networkOf } from "./failed-sign-ins.ts";

/** Whether a browser of the address's network is signed in to the account. */
export type HasSession = (userId: number, address: string) => Promise<boolean>;

/** Of the newest sessions; a user with more of them has been near lately. */
const sessionsLookedAt = 200;

export function prepareHasSession(db: Database): HasSession {
  const addresses = db
    .select({ address: session.address })
    .from(session)
    .where(sql`${session.userId} = ${sql.placeholder("userId")} and ${session.state} = 'signed-in' and ${session.expiresAt} > now()`)
    .orderBy(sql`${session.id} desc`)
    .limit(sessionsLookedAt)
    .prepare("addresses_of_sessions");
  return async (userId, address) => {
    const network = networkOf(address);
    return (await addresses.execute({ userId })).some((row) => networkOf(row.address) === network);
  };
}
