/**
 * An address to go on to, where it is a path of this server; else null. Browsers read `//host`, `/\host` and what has
 * tabs or line feeds in it as another server's address.
 */
export function localPath(text: string): string | null {
  if (!/^\/(?![/\\])[\x21-\x7e]*$/.test(text) || text.includes("\\")) {
    return null;
  }
  const url = URL.parse(text, "http://local.invalid");
  return url === null || url.host !== "local.invalid" || url.pathname.startsWith("//")
    ? null
    : url.pathname + url.search;
}
