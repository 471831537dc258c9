import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Revision } from "../../domain/git/refs/revisions.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { TreeItem } from "../../git/tree/tree-item.ts";
import { clip } from "../../lib/show-value.ts";
import { html, type Html } from "../html.ts";
import { sourceLink } from "../links.ts";
import { icon } from "../parts/icon.ts";
import { wholeNumber } from "../parts/size.ts";
import type { Visit } from "../visit.ts";

/** The most entries that the tree shows of a directory, and the most directories that are open in it. */
const shownEntries = 150;
const shownDepth = 12;
const shownName = 100;

type Entry = Pick<TreeItem, "name" | "path" | "type">;

/** The directories above a path, the root first; of a deep path, the first ones. */
function directoriesAbove(path: string): string[] {
  const names = path.split("/").slice(0, -1);
  return ["", ...names.map((_, index) => names.slice(0, index + 1).join("/"))].slice(0, shownDepth);
}

/** The files beside a file, and what is beside each directory above it, as a tree that is open there. */
export async function fileTree(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  revision: Revision,
  path: string,
): Promise<Html> {
  const { commit, view } = revision;
  const above = directoriesAbove(path);
  const lists = await Promise.all(
    above.map((directory) =>
      forge.git.engine.call(
        view,
        "listTree",
        { commit, path: directory, recursive: false, lastCommits: false, skip: 0, limit: shownEntries },
        visit.request.signal,
      ),
    ),
  );

  function item({ name, path: at, type }: Entry): Html {
    const depth = above.indexOf(at);
    const isOpen = type === "tree" && depth > 0;
    const sign = type === "tree" ? (isOpen ? "folder-open" : "folder") : "file";
    const current = at === path ? html` aria-current="page"` : null;
    return html`<li><a href="${sourceLink(visit.root, access, revision, at)}"${current}>${icon(visit, sign)}<span class="cut">${clip(name, shownName)}</span></a>${isOpen && level(depth)}</li>`;
  }

  function level(depth: number): Html {
    const list = lists[depth];
    const directory = above[depth] ?? "";
    const next = above[depth + 1] ?? path;
    const entries: Entry[] = [...(list?.entries ?? [])];
    if (!entries.some((entry) => entry.path === next)) {
      // Beyond those that are shown.
      entries.push({
        name: next.slice(directory === "" ? 0 : directory.length + 1),
        path: next,
        type: above.includes(next) ? "tree" : "blob",
      });
    }
    const sorted = entries.toSorted((one, other) => Number(other.type === "tree") - Number(one.type === "tree"));
    const rest = (list?.total ?? 0) - entries.length;
    const more =
      rest > 0 &&
      html`<li><a class="soft" href="${sourceLink(visit.root, access, revision, directory)}">and ${wholeNumber(rest)} more</a></li>`;
    return html`<ul>${sorted.map(item)}${more}</ul>`;
  }

  return html`<nav class="tree" aria-label="Files">${level(0)}</nav>`;
}
