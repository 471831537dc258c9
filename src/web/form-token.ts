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

/**
 * Whether a form was sent by a page of this server, as far as the browser says: Sec-Fetch-Site where there is one, else
 * Origin, which must be the server's own or the host that was asked. Browsers that say neither leave it to the token.
 */
export function isSameOrigin(request: Request, base: string): boolean {
  const site = request.headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin") {
    return false;
  }
  const origin = request.headers.get("origin");
  if (origin === null) {
    return true;
  }
  const url = URL.parse(origin);
  return url !== null && (url.origin === new URL(base).origin || url.host === request.headers.get("host"));
}
