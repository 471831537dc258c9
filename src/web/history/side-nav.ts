import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Reader } from "../frame/reader.ts";
import { html, type Html } from "../html.ts";
import { repositoryLink } from "../links.ts";

/** The pages about a repository's history and refs. */
const sides = [
  { key: "commits", name: "Commits" },
  { key: "graph", name: "Graph" },
  { key: "branches", name: "Branches" },
  { key: "tags", name: "Tags" },
] as const;

/** Links between the pages of history. `commits`: the address of the list of commits that belongs to the page. */
export function historyNav(
  reader: Reader,
  access: RepositoryAccess,
  current: (typeof sides)[number]["key"],
  commits = `${repositoryLink(reader.root, access)}/commits/branch/${access.repository.defaultBranch.split("/").map(encodeURIComponent).join("/")}`,
): Html {
  const base = repositoryLink(reader.root, access);
  const links = sides.map(
    ({ key, name }) =>
      html`<a href="${key === "commits" ? commits : `${base}/${key}`}"${key === current ? html` aria-current="page"` : null}>${name}</a>`,
  );
  return html`<nav class="segments" aria-label="History">${links}</nav>`;
}
