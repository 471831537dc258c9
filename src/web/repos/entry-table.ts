import type { RepositoryAccess } from "../../auth/subject.ts";
import type { ListTreeResult } from "../../git/workers/operations/list-tree.ts";
import { html, type Html } from "../html.ts";
import { sourceLink } from "../links.ts";

const kinds = { blob: "", tree: "/", symlink: " (link)", submodule: " (submodule)" } as const;

/** What is in a directory: directories first, as far as the list goes. */
export function entryTable(root: string, access: RepositoryAccess, revision: { kind: string; name: string }, tree: ListTreeResult): Html {
  const sorted = [...tree.entries].sort((a, b) => Number(b.type === "tree") - Number(a.type === "tree"));
  const rows = sorted.map(({ name, path, type, size }) => {
    const label = name + kinds[type];
    const shown = type === "submodule" ? label : html`<a href="${sourceLink(root, access, revision, path)}">${label}</a>`;
    return html`<tr><td>${shown}</td><td>${size === null ? "" : `${size} bytes`}</td></tr>`;
  });
  const rest = tree.total - tree.entries.length;
  return html`<div class="scroll"><table class="wide"><thead><tr><th scope="col">Name</th><th scope="col">Size</th></tr></thead><tbody>${rows}</tbody></table></div>
    ${rest > 0 ? html`<p>and ${rest} more, which the API lists page by page</p>` : null}`;
}
