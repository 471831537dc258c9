import { and, count, eq, isNotNull, or, sql } from "drizzle-orm";
import type { Reader } from "../../../db/client.ts";
import { emailAddress, mailToken } from "../../../db/schema/credentials.ts";
import { account, owner } from "../../../db/schema/owners.ts";

/** Somebody who may be sent a link to a new password, and where. */
export interface ResetRecipient {
  userId: number;
  name: string;
  email: string;
}

/**
 * The user of this id, or of this name or primary address, which is where the link goes: a token that may change an
 * account can give it other addresses, and must not become its password in this way. null for nobody, for addresses that
 * nobody has shown to be theirs, and for accounts that may not sign in, or not with a password.
 */
export async function findResetRecipient(
  db: Reader,
  who: { userId: number } | { nameOrEmail: string },
): Promise<ResetRecipient | null> {
  const text = "userId" in who ? "" : who.nameOrEmail.trim().toLowerCase();
  const [row] = await db
    .select({ userId: owner.id, name: owner.name, email: emailAddress.email })
    .from(emailAddress)
    .innerJoin(account, eq(account.ownerId, emailAddress.userId))
    .innerJoin(owner, eq(owner.id, account.ownerId))
    .where(
      and(
        eq(emailAddress.primary, true),
        eq(emailAddress.verified, true),
        eq(account.active, true),
        eq(account.suspended, false),
        isNotNull(account.passwordHash),
        "userId" in who ? eq(owner.id, who.userId) : or(eq(emailAddress.lowerEmail, text), eq(owner.lowerName, text)),
      ),
    )
    .orderBy(sql`(${eq(owner.lowerName, text)}) desc`)
    .limit(1);
  return row ?? null;
}

/** How many links to a new password a user was sent in the last minutes and has not used. */
export async function countResets(db: Reader, userId: number, minutes: number): Promise<number> {
  const [row] = await db
    .select({ value: count() })
    .from(mailToken)
    .where(
      and(
        eq(mailToken.userId, userId),
        eq(mailToken.purpose, "reset-password"),
        sql`${mailToken.createdAt} > now() - make_interval(mins => ${minutes}::integer)`,
      ),
    );
  return row?.value ?? 0;
}
