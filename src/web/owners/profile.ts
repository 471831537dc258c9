import type { OwnerRow } from "../../auth/subject.ts";
import { demandTo, isAllowed } from "../../domain/spine/guard.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { listRepositories } from "../../domain/repos/list-queries.ts";
import { parseWebAddress } from "../../lib/web-address.ts";
import { html, type Html } from "../html.ts";
import { keySuffix } from "../key-suffix.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { avatar } from "../parts/avatar.ts";
import { icon } from "../parts/icon.ts";
import { pager, sliceOf } from "../parts/pager.ts";
import { repositoryList } from "../parts/repositories.ts";
import { repositorySearch, repositorySearchForm } from "../parts/repository-search.ts";
import { keysResponse } from "../plain-addresses.ts";
import { createLink } from "../repos/create.ts";
import type { Visit } from "../visit.ts";

function mayCreate({ subject }: Visit): boolean {
  return isAllowed(subject, demandTo({ on: "owner", do: "create-repository" }, "read", []));
}

function head(visit: Visit, owner: OwnerRow): Html {
  const website =
    parseWebAddress(owner.website) === null
      ? null
      : html`<span>${icon(visit, "link")}<a rel="nofollow" href="${owner.website}">${owner.website.replace(/^https?:\/\//, "")}</a></span>`;
  const create = mayCreate(visit)
    ? html`<a class="button main" href="${createLink(visit.root, owner.name)}">${icon(visit, "plus")}New repository</a>`
    : null;
  return html`<div class="owner-head">${avatar(visit, owner, "xl")}<div class="grow stack s"><h1>${owner.fullName === "" ? owner.name : html`${owner.fullName} <span class="count">${owner.name}</span>`}</h1>
    ${owner.description !== "" && html`<p class="soft" dir="auto">${owner.description}</p>`}
    <div class="meta"><span>${icon(visit, owner.kind === "organization" ? "building-2" : "user")}${owner.kind}</span>${owner.location !== "" && html`<span>${icon(visit, "map-pin")}${owner.location}</span>`}${website}</div></div>${create}</div>`;
}

/** The page of a user or an organization: who they are, and their repositories. */
export function profilePages(forge: Forge, page: DeclarePage): PageRoute[] {
  const { db } = forge.database;
  return [
    page("GET", "/:owner", { may: { on: "owner", do: "see" } }, async ({ visit, owner: { owner } }) => {
      const [suffix] = keySuffix.exec(visit.params["owner"] ?? "") ?? [];
      if (suffix !== undefined) {
        return keysResponse(forge, visit, owner, suffix);
      }
      const at = sliceOf(visit.query);
      const { filter, order } = repositorySearch(visit.query);
      const { rows, total } = await listRepositories(db, visit, { ...filter, ownerId: owner.id }, order, at);
      const address = `${visit.root}/${encodeURIComponent(owner.name)}`;
      return {
        title: owner.name,
        body: html`${head(visit, owner)}${repositorySearchForm(visit, address, visit.query)}
          ${repositoryList(visit, rows, false)}${pager(visit, address, visit.query, at, total)}`,
      };
    }),
  ];
}
