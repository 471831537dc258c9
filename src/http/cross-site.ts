/**
 * Whether a page of another site made a browser send the request. What a browser or a proxy adds by itself (a ticket, a
 * header with the user's name) says nothing about the wish of its user then. Programs send neither header.
 */
export function isCrossSite(request: Request, base: string): boolean {
  const site = request.headers.get("sec-fetch-site");
  if (site === "cross-site" || site === "same-site") {
    return true;
  }
  const origin = request.headers.get("origin");
  if (origin === null) {
    return false;
  }
  const url = URL.parse(origin);
  return url === null || (url.origin !== new URL(base).origin && url.host !== request.headers.get("host"));
}
