import { randomBytes } from "node:crypto";
import { encodeBase32 } from "../../lib/base32.ts";

const codes = 10;

/** New codes that stand in for the second factor, each once: 80 bits, in groups that can be typed. */
export function generateRecoveryCodes(): string[] {
  return Array.from({ length: codes }, () =>
    (encodeBase32(randomBytes(10)).toLowerCase().match(/.{4}/g) ?? []).join("-"),
  );
}

function normalize(code: string): string {
  return code.replace(/[\s-]/g, "").toLowerCase();
}

/** Whether it has the form of such a code, in any case and with any gaps. */
export function isRecoveryCode(code: string): boolean {
  return /^[a-z2-7]{16}$/.test(normalize(code));
}

/** Hashes a code for storage. It has too many bits to be guessed, so one round of SHA-256 is enough. */
export function hashRecoveryCode(code: string): Uint8Array {
  return new Bun.CryptoHasher("sha256").update(normalize(code)).digest();
}
