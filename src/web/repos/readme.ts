import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Revision } from "../../domain/git/refs/revisions.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { TreeItem } from "../../git/tree/tree-item.ts";
import { html, type Html } from "../html.ts";
import { editLink } from "../links.ts";
import { icon } from "../parts/icon.ts";
import { outline } from "../parts/outline.ts";
import type { Visit } from "../visit.ts";
import { renderDocument, textOf } from "./document.ts";
import { mayChange } from "./may-change.ts";

const readmeNames = ["readme.md", "readme.markdown", "readme", "readme.txt", "readme.rst", "readme.adoc"];

/** The file that tells what a directory is about; Markdown before other texts. */
function findReadme(entries: readonly TreeItem[]): TreeItem | null {
  const files = entries.filter(({ type }) => type === "blob");
  for (const wanted of readmeNames) {
    const found = files.find(({ name }) => name.toLowerCase() === wanted);
    if (found !== undefined) {
      return found;
    }
  }
  return null;
}

/** The README of a directory in a panel; null if there is none. */
export async function readme(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  revision: Revision,
  entries: readonly TreeItem[],
): Promise<Html | null> {
  const item = findReadme(entries);
  const bytes =
    item === null
      ? null
      : ((await forge.git.contents.findFile(revision.view, revision.commit, item.path))?.bytes ?? null);
  const text = bytes === null ? null : textOf(bytes);
  if (item === null || text === null) {
    return null;
  }
  const shown = await renderDocument(forge, visit, access, revision, item.path, text);
  const edit =
    revision.kind === "branch" && mayChange(visit, access)
      ? html`<a class="button s bare icon" href="${editLink(visit.root, access, "_edit", revision.name, item.path)}" aria-label="Edit ${item.name}">${icon(visit, "pencil")}</a>`
      : null;
  return html`<section class="panel edge readme" aria-labelledby="readme"><div class="head">${icon(visit, "book-open", "faint")}<h2 class="grow" id="readme">${item.name}</h2>${outline(visit, shown)}${edit}</div><div class="body roomy">${shown}</div></section>`;
}
