import type { RepositoryAccess } from "../../auth/subject.ts";
import type { Revision } from "../../domain/git/refs/revisions.ts";
import { html, type Html } from "../html.ts";
import { sourceLink, type SourceView } from "../links.ts";
import type { Visit } from "../visit.ts";

/** The way from the repository to a path, each directory a link to the same view of it. The last step is the page's heading. */
export function trail(
  { root }: Visit,
  access: RepositoryAccess,
  revision: Revision,
  path: string,
  view: SourceView = "src",
): Html {
  const names = path === "" ? [] : path.split("/");
  const steps = [access.repository.name, ...names].map((name, index) => ({
    name,
    href: sourceLink(root, access, revision, names.slice(0, index).join("/"), view),
  }));
  const items = steps.map(({ name, href }, index) =>
    index === steps.length - 1
      ? html`<li><h1 aria-current="page">${name}</h1></li>`
      : html`<li><a href="${href}">${name}</a></li>`,
  );
  return html`<nav class="crumbs path" aria-label="Path"><ol>${items}</ol></nav>`;
}
