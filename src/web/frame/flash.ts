import { createHmac, timingSafeEqual } from "node:crypto";
import { findCookie } from "../../http/cookie.ts";

/*
 * What a form did is told on the page that its redirect leads to. The browser carries the text there in a cookie, signed,
 * because pages of other hosts of the same domain can set cookies, too.
 */

const name = "flash";
const secondsToLive = 60;
const mostLength = 500;

function signatureOf(key: Uint8Array, text: string): string {
  return createHmac("sha256", key).update("flash\0").update(text).digest("base64url");
}

/** The header value that carries a sentence to the next page. */
export function flashCookie(key: Uint8Array, text: string, path: string): string {
  const shown = text.slice(0, mostLength);
  const value = `${Buffer.from(shown).toString("base64url")}.${signatureOf(key, shown)}`;
  return `${name}=${value}; Path=${path}; HttpOnly; SameSite=Lax; Max-Age=${secondsToLive}`;
}

export function clearFlashCookie(path: string): string {
  return `${name}=; Path=${path}; HttpOnly; SameSite=Lax; Max-Age=0`;
}

/** The sentence that a redirect sent along; null if there is none or it is not ours. */
export function readFlash(key: Uint8Array, request: Request): string | null {
  const [encoded = "", given = ""] = (findCookie(request, name) ?? "").split(".");
  const text = Buffer.from(encoded, "base64url").toString();
  const expected = Buffer.from(signatureOf(key, text));
  const actual = Buffer.from(given);
  return text !== "" && expected.length === actual.length && timingSafeEqual(expected, actual) ? text : null;
}
