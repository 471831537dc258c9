import { InvalidInput } from "../../../lib/errors.ts";

const alphabet = /^[A-Za-z0-9+/]*={0,2}$/;

/** Decodes base64 (RFC 4648 section 4) with its padding; line breaks may stand in it. Throws InvalidInput naming the field. */
export function decodeContent(text: string, field = "content"): Uint8Array {
  const joined = /[\r\n]/.test(text) ? text.replaceAll(/[\r\n]/g, "") : text;
  if (joined.length % 4 !== 0 || !alphabet.test(joined)) {
    throw new InvalidInput(`${field} must be base64`, field);
  }
  return Buffer.from(joined, "base64");
}
