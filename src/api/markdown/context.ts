import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Addresses } from "../../domain/spine/addresses.ts";
import { linkBaseOf, rawOf } from "../../domain/work/markdown/link-base.ts";
import { InvalidInput } from "../../lib/errors.ts";
import type { RepositoryName } from "../../markdown/references.ts";
import type { LinkBase } from "../../markdown/sanitize-markup.ts";
import type { RenderRequest } from "./schema.ts";

function withSlash(url: string): string {
  return url.endsWith("/") ? url : `${url}/`;
}

type Where = Pick<RenderRequest, "context" | "branchPath" | "filePath" | "isWiki">;

/**
 * Finds the base of relative addresses: a path of this server, such as `owner/repo/src/branch/main/docs`, or an
 * absolute address. Below a tree of pages, files come from the same place in the tree of raw files; in a wiki both are
 * below `wiki`. A branch path makes it the directory of the file in that tree. An empty context leaves addresses
 * unchanged. Throws InvalidInput.
 */
export function readContext(addresses: Addresses, { context, branchPath, filePath, isWiki }: Where): LinkBase | null {
  if (context === "") {
    return null;
  }
  const isAbsolute = /^https?:\/\//i.test(context);
  const url = URL.parse(isAbsolute ? context : `${addresses.base}/${context.replace(/^\/+/, "")}`);
  if (url === null) {
    throw new InvalidInput(`Context must be a path or an address, not "${context.slice(0, 80)}"`, "Context");
  }
  const pages = withSlash(url.origin + url.pathname);
  if (isWiki) {
    return { pages: `${pages}wiki/`, files: `${pages}wiki/raw/` };
  }
  if (branchPath === "") {
    return { pages, files: rawOf(pages) };
  }
  const top = `${pages}src/${encodeURI(withSlash(branchPath))}`;
  const directory = `${top}${filePath.split("/").slice(0, -1).map(encodeURIComponent).join("/")}`;
  const below = withSlash(directory);
  return { pages: below, files: rawOf(below), top: { pages: top, files: rawOf(top) } };
}

/**
 * Reads the context of a text in a repository: without a context, a file of the default branch. Throws InvalidInput.
 */
export function readRepositoryContext(addresses: Addresses, access: RepositoryAccess, where: Where): LinkBase | null {
  const { owner, repository } = access;
  if (where.context !== "" || where.isWiki || where.branchPath !== "") {
    return readContext(addresses, {
      ...where,
      context: where.context || addresses.repository(owner.name, repository.name),
    });
  }
  return linkBaseOf(addresses, access, { kind: "branch", name: repository.defaultBranch }, where.filePath);
}

/** The names of the repository that a context is in; null where it is in none of this server. Whether it exists is not looked up. */
export function repositoryOfContext({ base }: Addresses, context: string): RepositoryName | null {
  const path = context.startsWith(`${base}/`) ? context.slice(base.length) : context;
  const { owner, repository } = /^\/?(?<owner>[\w.-]+)\/(?<repository>[\w.-]+)(?:\/|$)/.exec(path)?.groups ?? {};
  return owner === undefined || repository === undefined ? null : { owner, repository };
}
