import { createHmac, timingSafeEqual } from "node:crypto";

/** The name of the field that carries a form's token. */
export const formTokenField = "_csrf";

/** The token of all forms that this browser is given: only who reads its pages knows it. */
export function formToken(key: Uint8Array, browserToken: string): string {
  return createHmac("sha256", key).update("form\0").update(browserToken).digest("base64url");
}

export function isFormToken(key: Uint8Array, browserToken: string | null, given: string): boolean {
  if (browserToken === null) {
    return false;
  }
  const expected = Buffer.from(formToken(key, browserToken));
  const actual = Buffer.from(given);
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}
