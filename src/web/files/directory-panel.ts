import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Revision } from "../../domain/git/refs/revisions.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { html, type Html } from "../html.ts";
import { sourceLink } from "../links.ts";
import { icon } from "../parts/icon.ts";
import { pager, sliceOf } from "../parts/pager.ts";
import { commitLine, fileTable, readDirectory, shownEntries } from "../repos/directory.ts";
import { readme } from "../repos/readme.ts";
import type { Visit } from "../visit.ts";

/** A directory: its entries, a thousand at once, and below them what its README says; null where there is none at the path. */
export async function directoryPanel(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  revision: Revision,
  path: string,
): Promise<Html | null> {
  const at = sliceOf(visit.query, shownEntries);
  const directory = await readDirectory(forge, visit, revision, path, at.offset);
  if (directory === null) {
    return null;
  }
  const link = (view: "src" | "commits", below: string) => sourceLink(visit.root, access, revision, below, view);
  return html`<div class="panel edge"><div class="head">${commitLine(visit, access, directory.head, directory.authors)}<a class="button s bare" rel="nofollow" href="${link("commits", path)}">${icon(visit, "history")}History</a></div>
    ${fileTable(visit, access, revision, directory, path)}</div>
    ${pager(visit, link("src", path), visit.query, at, directory.total)}${await readme(forge, visit, access, revision, directory.entries)}`;
}
