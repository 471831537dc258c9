import { demandTo, isAllowed } from "../domain/access/guard.ts";
import { listRepositories } from "../domain/repos/list-queries.ts";
import type { Forge } from "../domain/forge.ts";
import { html } from "./html.ts";
import { open, type DeclarePage, type PageRoute } from "./pages.ts";
import { pageNumber, pageSize, pager, repositoryList } from "./parts.ts";
import { keySuffix } from "./key-suffix.ts";
import { keysResponse } from "./plain-addresses.ts";
import { createLink } from "./repos/create.ts";
import type { Visit } from "./visit.ts";
import { parseWebAddress } from "../lib/web-address.ts";

function slice(visit: Visit): { number: number; size: number; offset: number } {
  const number = pageNumber(visit.query);
  return { number, size: pageSize, offset: (number - 1) * pageSize };
}

function creates(visit: Visit): boolean {
  return isAllowed(visit.subject, demandTo({ on: "owner", do: "create-repository" }, "read", []));
}

/** The front page and the pages of users and organizations. */
export function frontPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const { db } = forge.database;
  return [
    page("GET", "/", open, async ({ visit }) => {
      const at = slice(visit);
      const { rows, total } = await listRepositories(db, visit, {}, { by: "updated", descending: true }, at);
      return {
        title: "Repositories",
        body: html`<h1>Repositories</h1>${repositoryList(visit.root, rows, true)}${pager(`${visit.root}/`, at.number, total)}`,
      };
    }),
    page("GET", "/:owner", { may: { on: "owner", do: "see" } }, async ({ visit, owner: { owner } }) => {
      const [suffix] = keySuffix.exec(visit.params["owner"] ?? "") ?? [];
      if (suffix !== undefined) {
        return keysResponse(forge, visit, owner, suffix);
      }
      const at = slice(visit);
      const { rows, total } = await listRepositories(
        db,
        visit,
        { ownerId: owner.id },
        { by: "alpha", descending: false },
        at,
      );
      const website =
        parseWebAddress(owner.website) !== null
          ? html`<dt>Website</dt><dd><a rel="nofollow" href="${owner.website}">${owner.website}</a></dd>`
          : null;
      const facts = [owner.location !== "" && html`<dt>Location</dt><dd>${owner.location}</dd>`, website].filter(
        (fact) => fact !== false && fact !== null,
      );
      return {
        title: owner.name,
        body: html`<h1>${owner.name}${owner.fullName === "" ? null : html` <small>${owner.fullName}</small>`}</h1>
          <p><span class="tag">${owner.kind}</span></p>
          ${owner.description === "" ? null : html`<p>${owner.description}</p>`}
          ${facts.length === 0 ? null : html`<dl class="pairs">${facts}</dl>`}
          <h2>Repositories</h2>
          ${creates(visit) ? html`<p><a href="${createLink(visit.root, owner.name)}">New repository</a></p>` : null}${repositoryList(visit.root, rows, false)}
          ${pager(`${visit.root}/${encodeURIComponent(owner.name)}`, at.number, total)}`,
      };
    }),
  ];
}
