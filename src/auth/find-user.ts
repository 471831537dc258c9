import { eq, sql } from "drizzle-orm";
import type { Database } from "../db/client.ts";
import { emailAddress, twoFactor } from "../db/schema/credentials.ts";
import { account, owner } from "../db/schema/owners.ts";

/** The data of a user that sign-in needs. */
export interface UserForSignIn {
  id: number;
  /** null if the account has no password. */
  passwordHash: string | null;
  /** Whether the account is active and not suspended. */
  usable: boolean;
  /** Whether the account needs a second factor. */
  secondFactor: boolean;
}

/** Finds the user with this name, else with this verified e-mail address. Returns null if there is none. */
export type FindUser = (name: string) => Promise<UserForSignIn | null>;

export function prepareFindUser(db: Database): FindUser {
  const name = sql.placeholder("name");
  const query = db
    .select({
      id: account.ownerId,
      passwordHash: account.passwordHash,
      usable: sql<boolean>`(${account.active} and not ${account.suspended})`,
      secondFactor: sql<boolean>`coalesce(${twoFactor.confirmed}, false)`,
    })
    .from(account)
    .innerJoin(owner, eq(owner.id, account.ownerId))
    .leftJoin(twoFactor, eq(twoFactor.userId, account.ownerId))
    .where(
      sql`${owner.lowerName} = ${name}::text or ${owner.id} = (select ${emailAddress.userId} from ${emailAddress}
        where ${emailAddress.lowerEmail} = ${name}::text and ${emailAddress.verified})`,
    )
    .orderBy(sql`(${owner.lowerName} = ${name}::text) desc`)
    .limit(1)
    .prepare("find_user_for_sign_in");

  return async (given) => {
    // Nobody's name has a NUL, which the database would not even compare.
    const [user] = given.includes("\0") ? [] : await query.execute({ name: given.trim().toLowerCase() });
    return user ?? null;
  };
}
