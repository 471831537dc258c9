/** Returns the path of a URL as the client sent it, still percent-encoded: a %2F inside a segment must not split it. */
export function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const end = url.indexOf("?", start);
  return start < 0 ? "/" : url.slice(start, end < 0 ? undefined : end);
}
