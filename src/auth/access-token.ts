import { randomBytes } from "node:crypto";

/** The prefix of every token, so that secret scanners find leaked ones. */
export const tokenPrefix = "sty_";

/** Returns a new token: the prefix and 160 random bits in hexadecimal. */
export function generateToken(): string {
  return tokenPrefix + randomBytes(20).toString("hex");
}

/** Returns the hash that is stored and looked up. A token has full entropy, so one round of SHA-256 is enough. */
export function hashToken(token: string): Uint8Array {
  return new Bun.CryptoHasher("sha256").update(token).digest();
}
