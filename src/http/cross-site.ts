/**
 * Whether a page of another site made a browser send the request. A ticket or header that the browser or a proxy adds
 * by itself must not count then, because the user did not intend the request. Programs send neither header.
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
