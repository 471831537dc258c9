import { createHmac, timingSafeEqual } from "node:crypto";

/** The name of the field that carries a form's token. */
export const formTokenField = "_csrf";

const macBytes = 32;

function macOf(key: Uint8Array, browserToken: string): Buffer {
  return createHmac("sha256", key).update("form\0").update(browserToken).digest();
}

function xor(left: Uint8Array, right: Uint8Array): Buffer {
  return Buffer.from(left.map((byte, index) => byte ^ (right[index] ?? 0)));
}

/**
 * The token of all forms that this browser is given: only who reads its pages knows it. It is masked anew in each page,
 * because pages are compressed: their length would tell a guess that is right from one that is wrong (BREACH).
 */
export function formToken(key: Uint8Array, browserToken: string): string {
  const mask = crypto.getRandomValues(Buffer.alloc(macBytes));
  return Buffer.concat([mask, xor(mask, macOf(key, browserToken))]).toString("base64url");
}

export function isFormToken(key: Uint8Array, browserToken: string | null, given: string): boolean {
  const bytes = Buffer.from(given, "base64url");
  return (
    browserToken !== null &&
    bytes.length === 2 * macBytes &&
    timingSafeEqual(xor(bytes.subarray(0, macBytes), bytes.subarray(macBytes)), macOf(key, browserToken))
  );
}
