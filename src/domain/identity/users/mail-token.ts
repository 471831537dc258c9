import { randomBytes } from "node:crypto";
import { hashToken } from "../../../auth/access-token.ts";
import type { Transaction } from "../../../db/client.ts";
import { insertMailToken, takeMailToken, type MailTokenPurpose } from "./email-queries.ts";
import { MailLinkInvalid } from "./errors.ts";

/** Makes the token of a link in a mail, and answers it: 256 random bits, of which only a hash is kept. */
export async function createMailToken(
  tx: Transaction,
  token: { purpose: MailTokenPurpose; userId: number; emailId: number | null },
  hours: number,
): Promise<string> {
  const value = randomBytes(32).toString("base64url");
  await insertMailToken(tx, { ...token, hash: hashToken(value), expiresAt: new Date(Date.now() + hours * 3_600_000) });
  return value;
}

/** Uses a token up. Throws MailLinkInvalid. */
export async function useMailToken(
  tx: Transaction,
  purpose: MailTokenPurpose,
  value: string,
): Promise<{ userId: number; emailId: number | null }> {
  const found = await takeMailToken(tx, hashToken(value), purpose);
  if (found === null) {
    throw new MailLinkInvalid();
  }
  return found;
}
