import { InvalidApplication } from "./errors.ts";

const longest = 2048;

/** Native apps listen on a loopback address, on a port that is free at that moment (RFC 8252, section 7.3). */
function isLoopback(url: URL): boolean {
  return (
    url.protocol === "http:" &&
    (url.hostname === "127.0.0.1" || url.hostname === "[::1]" || url.hostname === "localhost")
  );
}

/** Schemes in which an address is a program, or a document of its own. */
const forbiddenSchemes = new Set(["javascript:", "data:", "vbscript:", "about:", "blob:", "file:"]);

/**
 * Throws InvalidApplication when an application cannot be answered there: it must be absolute, without a fragment and without
 * a user, and its scheme one that browsers do not run.
 */
export function checkRedirectUri(uri: string): void {
  const url = uri.length > longest || /[^\x21-\x7e]/.test(uri) ? null : URL.parse(uri);
  if (
    url === null ||
    uri.includes("#") ||
    url.username !== "" ||
    url.password !== "" ||
    forbiddenSchemes.has(url.protocol)
  ) {
    throw new InvalidApplication(
      `"${uri.slice(0, 100)}" is not an absolute address without a fragment that an application can be answered at`,
      "redirect_uris",
    );
  }
}

/** Whether an address is one of those registered: the same text, but for the port of a loopback address. */
export function isRegistered(registered: readonly string[], given: string): boolean {
  if (registered.includes(given)) {
    return true;
  }
  const url = /[^\x21-\x7e]/.test(given) || given.includes("#") ? null : URL.parse(given);
  if (url === null || !isLoopback(url) || url.username !== "" || url.password !== "") {
    return false;
  }
  const same = (uri: string): boolean => {
    const other = URL.parse(uri);
    return (
      other !== null &&
      isLoopback(other) &&
      other.hostname === url.hostname &&
      other.pathname === url.pathname &&
      other.search === url.search
    );
  };
  return registered.some(same);
}

/** Returns the target of a form for a content security policy: an origin, or a scheme that only an app knows. */
export function formTargetOf(uri: string): string {
  const { protocol, origin } = new URL(uri);
  return protocol === "http:" || protocol === "https:" ? origin : protocol;
}
