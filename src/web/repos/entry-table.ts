import type { RepositoryAccess } from "../../auth/subject.ts";
import type { ListTreeResult } from "../../git/operations/list-tree.ts";
import { clip } from "../../lib/show-value.ts";
import { html, type Html } from "../html.ts";
import { sourceLink } from "../links.ts";
import { fileSize } from "../parts.ts";

const kinds = { blob: "", tree: "/", symlink: " (link)", submodule: " (submodule)" } as const;

/** How much of a name is shown, UTF-16 code units. */
const shownName = 255;
/** How long the paths of a table are together at most: each stands in a link, where a character can take nine. */
const shownPaths = 64 * 1024;

/** The first entries, as many as the table has room for. */
function withinLength(entries: ListTreeResult["entries"]): ListTreeResult["entries"] {
  let length = 0;
  const end = entries.findIndex(({ path }) => (length += path.length) > shownPaths);
  return end < 0 ? entries : entries.slice(0, end);
}

/** The table of a directory's entries: directories first, as far as the list goes. */
export function entryTable(
  root: string,
  access: RepositoryAccess,
  revision: { kind: string; name: string },
  tree: ListTreeResult,
): Html {
  const entries = withinLength(tree.entries);
  const sorted = [...entries].sort((a, b) => Number(b.type === "tree") - Number(a.type === "tree"));
  const rows = sorted.map(({ name, path, type, size }) => {
    const label = clip(name, shownName) + kinds[type];
    const shown =
      type === "submodule" ? label : html`<a href="${sourceLink(root, access, revision, path)}">${label}</a>`;
    return html`<tr><td>${shown}</td><td class="whole">${size === null ? "" : fileSize(size)}</td></tr>`;
  });
  const rest = tree.total - entries.length;
  return html`<div class="scroll"><table class="wide"><thead><tr><th scope="col">Name</th><th scope="col">Size</th></tr></thead><tbody>${rows}</tbody></table></div>
    ${rest > 0 ? html`<p>and ${rest} more, which the API lists page by page</p>` : null}`;
}
