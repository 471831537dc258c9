import type { RepositoryAccess } from "../../auth/subject.ts";
import { html, type Html } from "../html.ts";
import { editLink } from "../links.ts";
import { icon } from "../parts/icon.ts";
import type { Visit } from "../visit.ts";

/** A menu of the forms that change the files of a folder; `path` is empty for the root. */
export function addMenu(visit: Visit, access: RepositoryAccess, branch: string, path = ""): Html {
  const { root } = visit;
  const last =
    path === ""
      ? html`<a href="${editLink(root, access, "_diffpatch", branch)}">${icon(visit, "git-compare")}Apply a patch</a>`
      : html`<a href="${editLink(root, access, "_delete", branch, path)}">${icon(visit, "trash-2")}Delete this folder</a>`;
  return html`<button type="button" class="button not-narrow" popovertarget="add-menu">${icon(visit, "plus")}Add file</button>
<div class="menu" id="add-menu" popover><a href="${editLink(root, access, "_new", branch, path)}">${icon(visit, "file")}New file</a><a href="${editLink(root, access, "_upload", branch, path)}">${icon(visit, "upload")}Upload files</a><hr>${last}</div>`;
}
