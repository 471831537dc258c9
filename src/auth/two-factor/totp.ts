import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { encodeBase32 } from "../../lib/base32.ts";

const stepSeconds = 30;
const digits = 6;
/** Clocks differ, and codes are typed slowly: one step on each side is taken, as RFC 6238 advises in section 5.2. */
const toleratedSteps = 1;

/** Returns a new secret of 160 bits, the length that RFC 4226 recommends. */
export function generateTotpSecret(): Uint8Array {
  return new Uint8Array(randomBytes(20));
}

/** Returns the code of a time step (RFC 6238 with SHA-1 and six digits, which every authenticator supports). */
export function totpCode(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", secret).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 15;
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** digits).padStart(digits, "0");
}

export function totpStep(milliseconds: number): number {
  return Math.floor(milliseconds / 1000 / stepSeconds);
}

/** Returns the time step near now that has this code, or null. It takes the same time for every code. */
export function findTotpStep(secret: Uint8Array, code: string, milliseconds: number): number | null {
  const given = Buffer.from(code);
  if (given.length !== digits) {
    return null;
  }
  const now = totpStep(milliseconds);
  let found: number | null = null;
  for (let step = Math.max(0, now - toleratedSteps); step <= now + toleratedSteps; step++) {
    if (timingSafeEqual(Buffer.from(totpCode(secret, step)), given)) {
      found = step;
    }
  }
  return found;
}

/**
 * Returns the address that authenticator programs read from a QR code. `issuer` names the server, `account` the user.
 */
export function totpAddress(secret: Uint8Array, issuer: string, account: string): string {
  const parameters = `secret=${encodeBase32(secret)}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=${digits}&period=${stepSeconds}`;
  return `otpauth://totp/${encodeURIComponent(issuer)}:${encodeURIComponent(account)}?${parameters}`;
}
