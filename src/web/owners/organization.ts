import type { OwnerAccess } from "../../auth/subject.ts";
import { listMembers } from "../../domain/identity/orgs/queries.ts";
import { listTeams } from "../../domain/identity/teams/queries.ts";
import { listRepositories } from "../../domain/repos/list-queries.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { demandTo, isAllowed } from "../../domain/spine/guard.ts";
import type { Place } from "../frame/place.ts";
import { html, type Html } from "../html.ts";
import { ownerLink, packageLink } from "../links.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { avatar } from "../parts/avatar.ts";
import { icon } from "../parts/icon.ts";
import { empty } from "../parts/note.ts";
import { pager, sliceOf } from "../parts/pager.ts";
import { peopleList } from "../parts/people.ts";
import { repositoryList } from "../parts/repositories.ts";
import { repositorySearch, repositorySearchForm } from "../parts/repository-search.ts";
import { wholeNumber } from "../parts/size.ts";
import type { Page } from "../respond.ts";
import type { Visit } from "../visit.ts";
import { ownerHead } from "./head.ts";
import { profileReadme } from "./profile-readme.ts";

const fewPeople = { size: 14, offset: 0 };
const fewTeams = { size: 8, offset: 0 };

/** Members, and site administrators, see all members and teams; others only who is a member publicly. */
function isInsider(visit: Visit): boolean {
  return isAllowed(visit.subject, demandTo({ on: "organization", do: "belong" }, "read", []));
}

type OrganizationTab =
  | "repositories"
  | "issues"
  | "pulls"
  | "milestones"
  | "packages"
  | "people"
  | "teams"
  | "settings";

/** The place of a page of an organization. */
export function organizationPlace(visit: Visit, { owner }: Pick<OwnerAccess, "owner">, tab: OrganizationTab): Place {
  const below = `${visit.root}/org/${encodeURIComponent(owner.name)}`;
  const list = [
    { key: "repositories", name: "Repositories", href: ownerLink(visit.root, owner.name) },
    { key: "issues", name: "Issues", href: `${below}/issues` },
    { key: "pulls", name: "Pull requests", href: `${below}/pulls` },
    { key: "milestones", name: "Milestones", href: `${below}/milestones` },
    { key: "packages", name: "Packages", href: packageLink(visit.root, owner.name) },
    { key: "people", name: "People", href: `${below}/members` },
    ...(isInsider(visit) ? [{ key: "teams", name: "Teams", href: `${below}/teams` }] : []),
  ];
  return { tab, tabs: { label: owner.name, list } };
}

/** The page of an organization: its repositories, and beside them its people and teams. */
export function prepareOrganizationPage(forge: Forge): (visit: Visit, access: OwnerAccess) => Promise<Page> {
  const { db } = forge.database;
  return async (visit, access) => {
    const { owner } = access;
    const { query } = visit;
    const at = sliceOf(query);
    const { filter, order } = repositorySearch(query);
    const insider = isInsider(visit);
    const isPlain = query.size === 0;
    const [about, { rows, total }, people, teams] = await Promise.all([
      isPlain ? profileReadme(forge, visit, owner) : null,
      listRepositories(db, visit, { ...filter, ownerId: owner.id }, order, at),
      listMembers(db, visit, owner.id, insider ? "all" : "public", fewPeople),
      insider ? listTeams(db, { organizationId: owner.id }, fewTeams) : null,
    ]);
    const address = ownerLink(visit.root, owner.name);
    const below = `${visit.root}/org/${encodeURIComponent(owner.name)}`;
    const faces = people.rows.map(
      (one) =>
        html`<a href="${ownerLink(visit.root, one.name)}" title="${one.name}">${avatar(visit, one, "m")}<span class="sr">${one.name}</span></a>`,
    );
    return {
      title: owner.name,
      place: organizationPlace(visit, access, "repositories"),
      head: { feeds: [{ address: ownerLink(visit.root, owner.name), title: owner.name }] },
      body: html`${ownerHead(visit, owner, null)}<div class="columns"><div class="stack"><div>${repositorySearchForm(visit, address, query)}
        ${repositoryList(visit, rows, false)}${pager(visit, address, query, at, total)}</div>${about}</div>
        <aside class="side" aria-label="About ${owner.name}">
        ${people.total > 0 && html`<section><div class="split"><h2>People</h2><a href="${below}/members">${wholeNumber(people.total)}<span class="sr"> people</span></a></div><div class="line flow">${faces}</div></section>`}
        ${teams !== null && html`<section><div class="split"><h2>Teams</h2><a href="${below}/teams">${wholeNumber(teams.total)}<span class="sr"> teams</span></a></div><div class="nav">${teams.rows.map(({ team }) => html`<a href="${below}/teams">${icon(visit, "users")}<span class="cut">${team.name}</span></a>`)}</div></section>`}</aside></div>`,
    };
  };
}

function teamRow(visit: Visit, { team }: Awaited<ReturnType<typeof listTeams>>["rows"][number]): Html {
  const permission = ["no access", "read", "write", "administration", "owner"][team.mode] ?? "";
  return html`<li>${icon(visit, "users")}<div class="grow"><b>${team.name}</b>${team.description !== "" && html`<div class="soft small" dir="auto">${team.description}</div>`}</div><span class="tag">${permission}</span>${team.includesAllRepositories && html`<span class="tag not-narrow">all repositories</span>`}</li>`;
}

/** The people and the teams of an organization. */
export function organizationPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const { db } = forge.database;

  return [
    page("GET", "/org/:owner/members", { may: { on: "organization", do: "see" } }, async ({ visit, owner: access }) => {
      const at = sliceOf(visit.query);
      const { rows, total } = await listMembers(db, visit, access.owner.id, isInsider(visit) ? "all" : "public", at);
      const address = `${visit.root}/org/${encodeURIComponent(access.owner.name)}/members`;
      return {
        title: `People of ${access.owner.name}`,
        place: organizationPlace(visit, access, "people"),
        body: html`<div class="title"><h1>People <span class="count">${wholeNumber(total)}</span></h1></div>${peopleList(visit, rows, "Nobody is a member publicly.")}${pager(visit, address, visit.query, at, total)}`,
      };
    }),
    page(
      "GET",
      "/org/:owner/teams",
      { may: { on: "organization", do: "belong" } },
      async ({ visit, owner: access }) => {
        const at = sliceOf(visit.query);
        const { rows, total } = await listTeams(db, { organizationId: access.owner.id }, at);
        const address = `${visit.root}/org/${encodeURIComponent(access.owner.name)}/teams`;
        return {
          title: `Teams of ${access.owner.name}`,
          place: organizationPlace(visit, access, "teams"),
          body: html`<div class="title"><h1>Teams <span class="count">${wholeNumber(total)}</span></h1></div>${rows.length === 0 ? empty(visit, "users", "No teams", null) : html`<ul class="panel rows">${rows.map((row) => teamRow(visit, row))}</ul>`}${pager(visit, address, visit.query, at, total)}`,
        };
      },
    ),
  ];
}
