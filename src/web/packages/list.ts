import type { OwnerAccess } from "../../auth/subject.ts";
import { packageTypes } from "../../db/schema/packages.ts";
import type { FoundVersion } from "../../domain/packages/queries.ts";
import { listPackages } from "../../domain/packages/version-queries.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { Place } from "../frame/place.ts";
import { html, type Html } from "../html.ts";
import { packageLink, repositoryLink } from "../links.ts";
import { offers } from "../offers.ts";
import { organizationPlace } from "../owners/organization.ts";
import { userPlace } from "../owners/user.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { icon } from "../parts/icon.ts";
import { empty } from "../parts/note.ts";
import { openPager, sliceOf } from "../parts/pager.ts";
import { choiceMenu, searchForm } from "../parts/repository-search.ts";
import { ago } from "../parts/time.ts";
import type { Visit } from "../visit.ts";
import { managesPackages, readsPackages } from "./specs.ts";

const longestText = 100;

/** What people call the formats. */
export const formatNames = {
  alpine: "Alpine",
  cran: "R (CRAN)",
  debian: "Debian",
  generic: "Generic",
  go: "Go",
  rpm: "RPM",
} as const satisfies Record<(typeof packageTypes)[number], string>;

/** Where a page about an owner's packages stands. */
export function packagesPlace(visit: Visit, access: Pick<OwnerAccess, "owner">): Place {
  const { owner } = access;
  return owner.kind === "organization"
    ? organizationPlace(visit, access, "packages")
    : userPlace(visit, owner, "packages");
}

function packageRow(visit: Visit, owner: string, { package: of, version }: FoundVersion): Html {
  const { summary = "" } = version.about;
  return html`<li>${icon(visit, "box")}<div class="grow"><div class="line flow"><a href="${packageLink(visit.root, owner, of, version.version)}"><b dir="auto">${of.name}</b></a><span class="soft">${version.version}</span></div>${summary !== "" && html`<p class="soft small cut" dir="auto">${summary}</p>`}</div><span class="tag">${formatNames[of.type]}</span><span class="soft whole not-narrow">${ago(visit, version.createdAt)}</span></li>`;
}

/** The packages of an owner, and those that are linked to a repository. */
export function packageListPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const { db } = forge.database;

  /** The list with its search; `next` stands in its place while there is nothing. */
  async function list(
    visit: Visit,
    owner: string,
    address: string,
    of: Parameters<typeof listPackages>[2],
    next: Html,
  ): Promise<Html> {
    const { query } = visit;
    const at = sliceOf(query);
    const type = packageTypes.find((one) => one === query.get("type")) ?? null;
    const name = (query.get("q") ?? "").trim().slice(0, longestText);
    const { rows, hasMore } = await listPackages(db, visit, of, { type, name }, at);
    const menu = choiceMenu(
      visit,
      { address, query },
      { name: "type", label: "Format" },
      [{ key: "", words: "All formats" }, ...packageTypes.map((key) => ({ key, words: formatNames[key] }))],
      "",
    );
    const isAsked = type !== null || name !== "" || at.number > 1;
    const found =
      rows.length > 0
        ? html`<ul class="rows">${rows.map((row) => packageRow(visit, owner, row))}</ul>`
        : isAsked
          ? empty(visit, "box", "No package fits", "Search for a part of the name, in all formats.")
          : empty(visit, "box", "No packages yet", next);
    return html`${searchForm(visit, { address, query, words: "Find a package", kept: ["type"] }, menu)}<section class="panel edge" aria-label="Packages">${found}</section>${openPager(visit, address, query, at, hasMore)}`;
  }

  const documents = html`The documentation of this server (<code>docs/packages.md</code>) has the command of each format.`;

  return [
    page("GET", "/:owner/-/packages", readsPackages, async ({ visit, owner: access }) => {
      const { owner } = access;
      const address = packageLink(visit.root, owner.name);
      const rules =
        offers(visit, managesPackages) &&
        html`<a class="button" href="${address}/rules">${icon(visit, "trash-2")}Cleanup rules</a>`;
      const registry = forge.addresses.packages(owner.name, "generic");
      const next = html`Publish a first file: <code>curl --user NAME:TOKEN --upload-file FILE ${registry}/PACKAGE/1.0/FILE</code>. ${documents}`;
      return {
        title: `Packages of ${owner.name}`,
        place: packagesPlace(visit, access),
        body: html`<div class="stack"><div class="split"><h1>Packages</h1>${rules}</div><div>${await list(visit, owner.name, address, { ownerId: owner.id }, next)}</div></div>`,
      };
    }),
    page(
      "GET",
      "/:owner/:repo/packages",
      { may: { on: "repository", do: "read", unit: "packages" } },
      async ({ visit, repository: access }) => {
        const { owner, repository } = access;
        const address = `${repositoryLink(visit.root, access)}/packages`;
        const next = html`Link one of the <a href="${packageLink(visit.root, owner.name)}">packages of ${owner.name}</a> on its settings page: it is as private as this repository then.`;
        return {
          title: `Packages · ${owner.name}/${repository.name}`,
          place: { tab: "packages" },
          body: html`<div class="stack"><h1>Packages</h1><div>${await list(visit, owner.name, address, { repositoryId: repository.id }, next)}</div></div>`,
        };
      },
    ),
  ];
}
