import type { RepositoryAccess } from "../../auth/subject.ts";
import { openWiki } from "../../domain/git/wiki-stores/queries.ts";
import { pagesAt, type WikiPages } from "../../domain/repos/wiki/pages-at.ts";
import { openPages } from "../../domain/repos/wiki/read-pages.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { wikiLink } from "../links.ts";
import type { PageSpec } from "../pages.ts";

export const readsWiki = { may: { on: "repository", do: "read", unit: "wiki" } } as const satisfies PageSpec;
export const writesWiki = {
  may: { on: "repository", do: "write", unit: "wiki" },
  signedIn: true,
} as const satisfies PageSpec;

/** The page that a wiki begins with. */
export const firstPage = "Home";

/** A wiki at one commit. */
export interface OpenedWiki {
  /** In the shape of a repository. */
  readonly wiki: RepositoryAccess;
  /** null: nothing was ever written. */
  readonly opened: WikiPages | null;
}

/** Opens a wiki as it is, or as it was at a commit of its own. Throws NotFound for another commit. */
export async function openWikiAt(forge: Forge, access: RepositoryAccess, commit = ""): Promise<OpenedWiki> {
  const wiki = await openWiki(forge.database.db, access);
  if (commit === "") {
    return { wiki, opened: await openPages(forge, wiki.repository) };
  }
  const found = await getWikiCommit(forge, wiki, commit);
  return { wiki, opened: await pagesAt(forge, found.view, found.commit) };
}

/** A commit of a wiki by its oid. Throws NotFound. */
export async function getWikiCommit(forge: Forge, { repository }: RepositoryAccess, oid: string) {
  const found = /^[0-9a-f]{7,64}$/.test(oid) ? await forge.git.revisions.findCommit(repository, oid) : null;
  if (found === null) {
    throw new NotFound("commit of the wiki", oid.slice(0, 80));
  }
  return found;
}

/** What stands before a page in addresses, or in its place: no page is called like the first three. */
type WikiForm = "_pages" | "_pages/history" | "_new" | "_edit" | "_delete" | "_history" | "_compare" | "commit" | "raw";

/** An address below the wiki's: a form or a list, and what it is about. */
export function wikiFormLink(root: string, access: RepositoryAccess, form: WikiForm, path = ""): string {
  const below = path === "" ? "" : `/${path.split("/").map(encodeURIComponent).join("/")}`;
  return `${wikiLink(root, access)}/${form}${below}`;
}

/** The same about a page, whose path is one segment. */
export function wikiPageLink(root: string, access: RepositoryAccess, form: WikiForm, path: string): string {
  return `${wikiLink(root, access)}/${form}/${encodeURIComponent(path)}`;
}
