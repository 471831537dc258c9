import { randomInt } from "node:crypto";

/** Without letters and digits that look alike. */
const alphabet = "abcdefghjkmnpqrstuvwxyz23456789";
const length = 20;

/** A random password that can be read out and typed: 20 characters, 99 bits. */
export function generatePassword(): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join("");
}
