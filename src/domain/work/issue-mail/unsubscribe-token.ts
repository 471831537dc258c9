import { createHmac, timingSafeEqual } from "node:crypto";

/** The user and the issue whose mails a link ends. */
export interface Unsubscription {
  userId: number;
  issueId: number;
}

/**
 * The token of a link that ends the mails to one user about one issue, and opens nothing. It is signed and not stored, and does not expire, since a mail
 * lies in a mailbox for years.
 */
export function writeUnsubscribeToken(key: Uint8Array, { userId, issueId }: Unsubscription): string {
  const claims = `${userId}.${issueId}`;
  return `${claims}.${sign(key, claims).toString("base64url")}`;
}

/** Reads a token; null if it is forged or broken. */
export function readUnsubscribeToken(key: Uint8Array, token: string): Unsubscription | null {
  const [, claims = "", userId, issueId, signature = ""] = /^((\d{1,15})\.(\d{1,15}))\.([\w-]{43})$/.exec(token) ?? [];
  const given = Buffer.from(signature, "base64url");
  const expected = sign(key, claims);
  return given.length === expected.length && timingSafeEqual(given, expected)
    ? { userId: Number(userId), issueId: Number(issueId) }
    : null;
}

function sign(key: Uint8Array, claims: string): Buffer {
  return createHmac("sha256", key).update(`unsubscribe ${claims}`).digest();
}
