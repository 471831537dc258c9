import type { OwnerAccess } from "../../auth/subject.ts";
import { packageTypes, type PackageAbout, type PackageType } from "../../db/schema/packages.ts";
import { findPackageDownloads, listDownloadDays } from "../../domain/packages/download-queries.ts";
import { getPackage, getVersion } from "../../domain/packages/get-package.ts";
import { findOwnersOf, type FileRow, type FoundVersion } from "../../domain/packages/queries.ts";
import { findPackageFile, listFilesOf, listVersionsOf } from "../../domain/packages/version-queries.ts";
import { findAccesses } from "../../domain/repos/access-queries.ts";
import { NotFound } from "../../domain/spine/errors.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { clip } from "../../lib/show-value.ts";
import { parseWebAddress } from "../../lib/web-address.ts";
import { sendPackageFile } from "../../http/send-package-file.ts";
import { barChart } from "../history/bar-chart.ts";
import { html, type Html } from "../html.ts";
import { packageLink, repositoryLink } from "../links.ts";
import { offers } from "../offers.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { commands } from "../parts/commands.ts";
import { copyButton } from "../parts/copy.ts";
import { icon } from "../parts/icon.ts";
import { pager, sliceOf } from "../parts/pager.ts";
import { userName } from "../parts/person.ts";
import { fileSize, wholeNumber } from "../parts/size.ts";
import { ago } from "../parts/time.ts";
import { readRowId } from "../read-row-id.ts";
import type { Visit } from "../visit.ts";
import { installSteps } from "./install.ts";
import { formatNames, packagesPlace } from "./list.ts";
import { readsPackages, writesPackages } from "./specs.ts";

const shownVersions = { size: 10, offset: 0 };
/** Days of the drawing of downloads. */
const drawnDays = 90;
const dayMs = 86_400_000;

/** The format that the address names. Throws NotFound. */
export function typeIn(visit: Visit): PackageType {
  const { type = "" } = visit.params;
  const known = packageTypes.find((one) => one === type);
  if (known === undefined) {
    throw new NotFound("format of packages", clip(type, 80));
  }
  return known;
}

/** The version of a package that the address names. Throws NotFound. */
export function namedVersion(forge: Forge, visit: Visit, { owner }: OwnerAccess): Promise<FoundVersion> {
  const { name = "", version = "" } = visit.params;
  return getVersion(forge.database.db, visit, owner.id, { type: typeIn(visit), name, version });
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

function fileItem(visit: Visit, address: string, file: FileRow): Html {
  const place = file.place.replaceAll("|", "/");
  const sums = [
    ["SHA-256", hex(file.sha256)],
    ["SHA-512", hex(file.sha512)],
    ["SHA-1", hex(file.sha1)],
    ["MD5", hex(file.md5)],
  ].map(
    ([name = "", sum = ""]) =>
      html`<dt>${name}</dt><dd class="line"><code class="cut">${sum}</code>${copyButton(visit, sum, { label: `Copy ${name} of ${file.name}`, isSmall: true })}</dd>`,
  );
  return html`<li><div class="grow stack s"><div class="line flow">${icon(visit, "file")}<a rel="nofollow" href="${address}/files/${file.id}"><b dir="auto">${file.name}</b></a>${place !== "" && html`<span class="tag">${place}</span>`}<span class="soft">${fileSize(file.bytes)}</span></div><details><summary class="soft small">Digests</summary><dl class="pairs small">${sums}</dl></details></div></li>`;
}

/** What the package needs and relates to, in the words of its format. */
function relations({ relations: list = [] }: PackageAbout): Html | null {
  const groups = list.map(
    ({ kind, names }) =>
      html`<dt>${kind}</dt><dd class="line flow">${names.map((name) => html`<code dir="auto">${name}</code>`)}</dd>`,
  );
  return list.length === 0
    ? null
    : html`<section class="stack s"><h2>Dependencies</h2><dl class="pairs">${groups}</dl></section>`;
}

function downloads(days: readonly { day: string; count: number }[], total: number, now: number): Html {
  const today = Math.floor(now / dayMs);
  const buckets = days.map(({ day, count }) => [Math.floor(Date.parse(day) / dayMs), count] as const);
  const most = Math.max(1, ...days.map(({ count }) => count));
  const sum = days.reduce((all, { count }) => all + count, 0);
  const label = `${wholeNumber(sum)} downloads in ${drawnDays} days`;
  return html`<section><div class="split"><h2>Downloads</h2><span class="soft num">${wholeNumber(total)}</span></div>${sum > 0 && html`${barChart(buckets, today - drawnDays + 1, today, most, label)}<p class="soft small">${label}</p>`}</section>`;
}

function aside(facts: readonly (Html | null | false)[], more: readonly Html[]): Html {
  return html`<aside class="side" aria-label="About the version"><section><h2>About</h2><ul class="facts">${facts.map((fact) => fact && html`<li>${fact}</li>`)}</ul></section>${more}</aside>`;
}

/** The pages of one package: its versions, one of them with its files, and a file. */
export function packageVersionPages(forge: Forge, page: DeclarePage): PageRoute[] {
  const { db } = forge.database;

  async function versionPage(visit: Visit, access: OwnerAccess) {
    const { owner } = access;
    const found = await namedVersion(forge, visit, access);
    const { package: of, version } = found;
    const at = sliceOf(visit.query);
    const since = new Date(visit.now - (drawnDays - 1) * dayMs).toISOString().slice(0, 10);
    const [files, counted, days, versions, creators, linked] = await Promise.all([
      listFilesOf(db, version.id, at),
      findPackageDownloads(db, [version.id]),
      listDownloadDays(db, version.id, since),
      listVersionsOf(db, of.id, shownVersions),
      findOwnersOf(db, version.creatorId === null ? [] : [version.creatorId]),
      findAccesses(db, visit, "packages", of.repositoryId === null ? [] : [of.repositoryId]),
    ]);
    const [creator] = creators.values();
    const [repository] = linked.values();
    const { about } = version;
    const all = packageLink(visit.root, owner.name, of);
    const address = packageLink(visit.root, owner.name, of, version.version);
    const steps = installSteps({
      registry: forge.addresses.packages(owner.name, of.type),
      owner: owner.name,
      found,
      files: files.rows,
      isNewest: versions.rows[0]?.id === version.id,
      isPrivate: owner.visibility !== "public" || repository?.repository.private === true || of.insidersOnly,
    });
    const website = about.website ?? "";
    const settings =
      offers(visit, writesPackages) &&
      html`<a class="button" href="${address}/settings">${icon(visit, "settings")}Settings</a>`;
    const others = html`<section><div class="split"><h2>Versions</h2><a href="${all}">${wholeNumber(versions.total)}<span class="sr"> versions</span></a></div><div class="nav">${versions.rows.map((one) => html`<a href="${packageLink(visit.root, owner.name, of, one.version)}"${one.id === version.id && html` aria-current="page"`}><span class="cut grow">${one.version}</span><span class="soft">${ago(visit, one.createdAt)}</span></a>`)}</div></section>`;
    return {
      title: `${of.name} ${version.version} · Packages of ${owner.name}`,
      place: packagesPlace(visit, access),
      body: html`<div class="stack"><div class="split"><div class="grow"><h1><span dir="auto">${of.name}</span> <span class="count">${version.version}</span></h1>${about.summary !== undefined && html`<p class="soft" dir="auto">${about.summary}</p>`}</div>${settings}</div>
        <div class="columns"><div class="stack l">${steps.map(({ title, lines }, index) => commands(visit, `install-${index + 1}`, title, lines))}
        ${about.description !== undefined && html`<section class="stack s"><h2>Description</h2><p class="message" dir="auto">${about.description}</p></section>`}${relations(about)}
        <section class="stack s"><h2>Files <span class="count">${wholeNumber(files.total)}</span></h2><ul class="panel rows">${files.rows.map((file) => fileItem(visit, address, file))}</ul>${pager(visit, address, visit.query, at, files.total)}</section></div>
        ${aside(
          [
            html`${icon(visit, "box")}${formatNames[of.type]}`,
            html`${icon(visit, "history")}<span>published ${ago(visit, version.createdAt)}${creator !== undefined && html` by ${userName(visit, creator)}`}</span>`,
            repository !== undefined &&
              html`${icon(visit, "book-open")}<a class="cut" href="${repositoryLink(visit.root, repository)}">${repository.owner.name}/${repository.repository.name}</a>`,
            parseWebAddress(website) !== null &&
              html`${icon(visit, "link")}<a class="cut" rel="nofollow" href="${website}">${website.replace(/^https?:\/\//, "")}</a>`,
            about.license !== undefined && html`${icon(visit, "scale")}<span dir="auto">${about.license}</span>`,
            about.maintainer !== undefined && html`${icon(visit, "users")}<span dir="auto">${about.maintainer}</span>`,
            html`${icon(visit, "hard-drive")}${fileSize(files.bytes)}`,
          ],
          [downloads(days, counted.get(version.id) ?? 0, visit.now), others],
        )}</div></div>`,
    };
  }

  return [
    page("GET", "/:owner/-/packages/:type/:name", readsPackages, async ({ visit, owner: access }) => {
      const { owner } = access;
      const named = { type: typeIn(visit), name: visit.params["name"] ?? "" };
      const of = await getPackage(db, visit, owner.id, named);
      const at = sliceOf(visit.query);
      const { rows, total } = await listVersionsOf(db, of.id, at);
      const counted = await findPackageDownloads(
        db,
        rows.map(({ id }) => id),
      );
      const address = packageLink(visit.root, owner.name, of);
      return {
        title: `${of.name} · Packages of ${owner.name}`,
        place: packagesPlace(visit, access),
        body: html`<div class="stack"><div class="title"><h1><a class="plain" href="${packageLink(visit.root, owner.name)}">Packages</a> / <span dir="auto">${of.name}</span></h1><span class="tag">${formatNames[of.type]}</span></div><div>
          <ul class="panel rows">${rows.map((one) => html`<li>${icon(visit, "tag")}<a class="grow cut" href="${packageLink(visit.root, owner.name, of, one.version)}"><b>${one.version}</b></a><span class="soft num">${icon(visit, "download")} ${wholeNumber(counted.get(one.id) ?? 0)}<span class="sr"> downloads</span></span><span class="soft whole">${ago(visit, one.createdAt)}</span></li>`)}</ul>${pager(visit, address, visit.query, at, total)}</div></div>`,
      };
    }),
    page("GET", "/:owner/-/packages/:type/:name/:version", readsPackages, ({ visit, owner }) =>
      versionPage(visit, owner),
    ),
    page("GET", "/:owner/-/packages/:type/:name/:version/files/:id", readsPackages, async ({ visit, owner }) => {
      const { version } = await namedVersion(forge, visit, owner);
      const id = readRowId(visit.params["id"] ?? "");
      const file = id === null ? null : await findPackageFile(db, version.id, id);
      if (file === null) {
        throw new NotFound("file", clip(visit.params["id"] ?? "", 80));
      }
      return sendPackageFile(forge, visit.request, file);
    }),
  ];
}
