/** Answers depend on who asks, so no shared cache keeps them, and a private one asks again with the ETag. */
const caching = "private, no-cache";

/** RFC 9110 section 13.1.2: weak comparison with any of the listed tags. */
function matches(ifNoneMatch: string, etag: string): boolean {
  return ifNoneMatch.trim() === "*" || ifNoneMatch.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}

/** Sets the caching headers, but for a `cache-control` that is there; answers 304 when the client has this already, else null. */
export function notModified(request: Request, etag: string, headers: Record<string, string>): Response | null {
  const ifNoneMatch = request.headers.get("if-none-match");
  headers["etag"] = etag;
  headers["cache-control"] ??= caching;
  if (ifNoneMatch === null || !matches(ifNoneMatch, etag)) {
    return null;
  }
  delete headers["content-type"];
  return new Response(null, { status: 304, headers });
}
