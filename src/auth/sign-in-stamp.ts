import { sql } from "drizzle-orm";
import { twoFactor } from "../db/schema/credentials.ts";
import { account } from "../db/schema/owners.ts";

/** Returns a text that changes with a user's password and with their second factor. */
export function signInStamp(passwordHash: string | null, secondFactor: boolean): string {
  return new Bun.CryptoHasher("sha256").update(`${passwordHash ?? ""}${secondFactor}`).digest("hex");
}

/** The result of `signInStamp`, as SQL over `account` and a left join of `two_factor`. */
export const signInStampSql = sql<string>`encode(sha256(convert_to(coalesce(${account.passwordHash}, '') || coalesce(${twoFactor.confirmed}, false), 'UTF8')), 'hex')`;
