import type { Addresses } from "../../domain/addresses.ts";
import { InvalidInput } from "../../lib/errors.ts";
import type { LinkBase } from "../../markdown/sanitize-markup.ts";

const pageSource = /\/src\/(branch|tag|commit)\//;

function withSlash(url: string): string {
  return url.endsWith("/") ? url : `${url}/`;
}

/**
 * What relative addresses are relative to: a path of this server, such as `owner/repo/src/branch/main/docs`, or an
 * absolute address. Below a tree of pages, files come from the same place in the tree of raw files; in a wiki both are
 * below `wiki`. An empty context leaves addresses as they are. Throws InvalidInput.
 */
export function readContext(addresses: Addresses, context: string, wiki: boolean): LinkBase | null {
  if (context === "") {
    return null;
  }
  const isAbsolute = /^https?:\/\//i.test(context);
  const url = URL.parse(isAbsolute ? context : `${addresses.base}/${context.replace(/^\/+/, "")}`);
  if (url === null) {
    throw new InvalidInput(`Context must be a path or an address, not "${context.slice(0, 80)}"`, "Context");
  }
  const pages = withSlash(url.origin + url.pathname);
  if (wiki) {
    return { pages: `${pages}wiki/`, files: `${pages}wiki/raw/` };
  }
  return { pages, files: pages.replace(pageSource, (_, kind: string) => `/raw/${kind}/`) };
}
