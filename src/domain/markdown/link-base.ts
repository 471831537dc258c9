import type { RepositoryAccess } from "../../auth/subject.ts";
import type { LinkBase } from "../../markdown/sanitize-markup.ts";
import type { Addresses } from "../addresses.ts";

const pageSource = /\/src\/(branch|tag|commit)\//;

/** The same place in the tree of raw files. */
export function rawOf(pages: string): string {
  return pages.replace(pageSource, "/raw/$1/");
}

/**
 * What the addresses in a file of a repository are relative to: its directory, or with a leading slash the root. `path` is the
 * file's, at a branch, tag or commit.
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
  return { pages, files: rawOf(pages), top: { pages: top, files: rawOf(top) } };
}

/** What the addresses in a page of a repository's wiki are relative to: its pages, and for pictures and others its files. */
export function wikiBaseOf(addresses: Addresses, { owner, repository }: RepositoryAccess): LinkBase {
  const pages = `${addresses.repository(owner.name, repository.name)}/wiki/`;
  return { pages, files: `${pages}raw/` };
}
