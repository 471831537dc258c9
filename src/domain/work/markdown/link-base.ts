import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { LinkBase } from "../../../markdown/sanitize-markup.ts";
import type { Addresses } from "../../spine/addresses.ts";

const pageSource = /\/src\/(branch|tag|commit)\//;

/** Returns the place in the tree of raw files. */
export function rawOf(pages: string): string {
  return pages.replace(pageSource, "/raw/$1/");
}

/**
 * Returns the base of addresses in a file of a repository: its directory, or the root for a leading slash. `path` is
 * the file's, at a branch, tag or commit.
 */
export function linkBaseOf(
  addresses: Addresses,
  { owner, repository }: RepositoryAccess,
  revision: { kind: "branch" | "tag" | "commit"; name: string },
  path: string,
): LinkBase {
  const directory = path
    .split("/")
    .slice(0, -1)
    .map((part) => `${part}/`)
    .join("");
  const at = (below: string) => addresses.source(owner.name, repository.name, revision.kind, revision.name, below);
  const [pages, top] = [at(directory), at("")];
  return { pages, files: rawOf(pages), top: { pages: top, files: rawOf(top) }, server: addresses.base };
}

/** Returns the base of addresses in a page of a repository's wiki: its pages, and its files for pictures and others. */
export function wikiBaseOf(addresses: Addresses, { owner, repository }: RepositoryAccess): LinkBase {
  const pages = `${addresses.repository(owner.name, repository.name)}/wiki/`;
  return { pages, files: `${pages}raw/`, server: addresses.base };
}
