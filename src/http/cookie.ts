/** The token of a browser's session, or of its forms before sign-in. */
const token = /^[A-Za-z0-9_-]{43}$/;

/** With https the name says that no other host and no plain connection can have set the cookie. */
function nameOf(secure: boolean): string {
  return secure ? "__Host-stithy" : "stithy_session";
}

/** The value of a cookie of a request; null if there is none of this name. */
export function findCookie(request: Request, name: string): string | null {
  const prefix = `${name}=`;
  const found = (request.headers.get("cookie") ?? "")
    .split(";")
    .map((part) => part.trim())
    .find((part) => part.startsWith(prefix));
  return found === undefined ? null : found.slice(prefix.length);
}

/** The token in a request's cookie; null where there is none that could be one. */
export function readCookie(request: Request, secure: boolean): string | null {
  const value = findCookie(request, nameOf(secure)) ?? "";
  return token.test(value) ? value : null;
}

/** The cookie goes with the browser's own session when `maxAgeSeconds` is null. */
export function writeCookie(value: string, secure: boolean, maxAgeSeconds: number | null): string {
  const age = maxAgeSeconds === null ? "" : `; Max-Age=${maxAgeSeconds}`;
  return `${nameOf(secure)}=${value}; Path=/; HttpOnly; SameSite=Lax${secure ? "; Secure" : ""}${age}`;
}

export function clearCookie(secure: boolean): string {
  return writeCookie("", secure, 0);
}

/** A cookie that a choice of the reader is kept in. */
export function plainCookie(name: string, value: string, path: string, secure: boolean, maxAgeSeconds: number): string {
  return `${name}=${value}; Path=${path}; HttpOnly; SameSite=Lax${secure ? "; Secure" : ""}; Max-Age=${maxAgeSeconds}`;
}
