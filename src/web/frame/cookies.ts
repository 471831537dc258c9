/** A cookie of a request that is no secret; null if there is none of this name. */
export function plainCookie(request: Request, name: string): string | null {
  const prefix = `${name}=`;
  const found = (request.headers.get("cookie") ?? "")
    .split(";")
    .map((part) => part.trim())
    .find((part) => part.startsWith(prefix));
  return found === undefined ? null : found.slice(prefix.length);
}
