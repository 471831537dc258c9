import type { RepositoryAccess } from "../../auth/subject.ts";
import type { AttachmentRow } from "../../domain/repos/attachments/queries.ts";
import { html, type Html } from "../html.ts";
import {
  archiveLink,
  commitLink,
  compareLink,
  releaseAssetLink,
  releaseFormLink,
  releaseLink,
  sourceLink,
} from "../links.ts";
import { offers } from "../offers.ts";
import { writesReleases } from "../pages.ts";
import { avatar } from "../parts/avatar.ts";
import { copyButton } from "../parts/copy.ts";
import { icon } from "../parts/icon.ts";
import { userName } from "../parts/person.ts";
import { counted, fileSize, wholeNumber } from "../parts/size.ts";
import { ago } from "../parts/time.ts";
import { verifiedMark } from "../parts/verified.ts";
import type { Visit } from "../visit.ts";
import type { ShownRelease } from "./load.ts";

/** Lists of more files are folded. */
const openAssets = 12;

function downloads(visit: Visit, number: number): Html {
  return html`<span class="soft num" title="${counted(number, "download")}">${icon(visit, "download")} ${wholeNumber(number)}<span class="sr"> ${number === 1 ? "download" : "downloads"}</span></span>`;
}

/** The digest of a file as programs write it; the page shows its beginning. */
export function digest(visit: Visit, sha256: Uint8Array, name: string): Html {
  const text = Buffer.from(sha256).toString("hex");
  return html`<span class="line not-narrow"><code class="oid" title="sha256:${text}">sha256:${text.slice(0, 12)}…</code>${copyButton(visit, text, { label: `Copy the SHA-256 of ${name}`, isSmall: true })}</span>`;
}

/** Where a file of a release is: at the address of its tag and name, or if that is another file's or a draft's, at one of its own. */
function assetAddress(visit: Visit, access: RepositoryAccess, release: ShownRelease, asset: AttachmentRow): string {
  const { draft, tagName } = release.release;
  const isFirst = release.assets.find(({ name }) => name === asset.name)?.id === asset.id;
  return draft || !isFirst
    ? `${visit.root}/attachments/${asset.uuid}`
    : releaseAssetLink(visit.root, access, tagName, asset.name);
}

function assetRow(visit: Visit, access: RepositoryAccess, release: ShownRelease, asset: AttachmentRow): Html {
  const { name, externalUrl, sha256, bytes, createdAt } = asset;
  if (externalUrl !== null) {
    return html`<li>${icon(visit, "external-link", "faint")}<a class="grow cut" rel="nofollow noopener noreferrer" href="${externalUrl}" dir="auto">${name}</a><span class="soft cut not-narrow">${URL.parse(externalUrl)?.host}</span></li>`;
  }
  return html`<li>${icon(visit, "box", "faint")}<a class="grow cut" rel="nofollow" href="${assetAddress(visit, access, release, asset)}" dir="auto">${name}</a>${sha256 !== null && digest(visit, sha256, name)}${downloads(visit, asset.downloads)}<span class="soft num">${fileSize(bytes)}</span><span class="soft small not-narrow">${ago(visit, createdAt)}</span></li>`;
}

function archiveRow(visit: Visit, access: RepositoryAccess, release: ShownRelease, format: "zip" | "tar.gz"): Html {
  const number = release.downloads?.[format === "zip" ? "zip" : "tarGz"] ?? 0;
  return html`<li>${icon(visit, "file-archive", "faint")}<a class="grow" rel="nofollow" href="${archiveLink(visit.root, access, release.release.tagName, format)}">Source code (${format})</a>${downloads(visit, number)}</li>`;
}

function assets(visit: Visit, access: RepositoryAccess, release: ShownRelease): Html | null {
  const hasArchives = release.tag !== null && !release.release.draft && !release.release.hideArchiveLinks;
  const total = release.assets.length + (hasArchives ? 2 : 0);
  return total === 0
    ? null
    : html`<details class="assets"${release.assets.length <= openAssets && html` open`}><summary>${icon(visit, "chevron-right")}Files <span class="count">${wholeNumber(total)}</span></summary><ul class="rows links">${release.assets.map((asset) => assetRow(visit, access, release, asset))}${hasArchives && html`${archiveRow(visit, access, release, "zip")}${archiveRow(visit, access, release, "tar.gz")}`}</ul></details>`;
}

/** What a release is: the latest, one before its time, or one that nobody else sees yet. */
export function releaseTags({ release, isLatest }: Pick<ShownRelease, "release" | "isLatest">): Html {
  return html`${release.draft && html`<span class="tag red">Draft</span>`}${release.prerelease && html`<span class="tag amber">Pre-release</span>`}${isLatest && html`<span class="tag green">Latest</span>`}`;
}

function facts(visit: Visit, access: RepositoryAccess, shown: ShownRelease): Html {
  const { release, author, tag, since, before } = shown;
  const { tagName, draft, publishedAt } = release;
  const by = author === null ? "Somebody" : html`${avatar(visit, author)}${userName(visit, author)}`;
  const name =
    tag === null
      ? html`<span>${icon(visit, "tag")}${tagName}</span>`
      : html`<a href="${sourceLink(visit.root, access, { kind: "tag", name: tagName }, "")}">${icon(visit, "tag")}${tagName}</a>`;
  const oid = tag?.commit?.oid;
  return html`<div class="meta"><span class="line">${by} ${draft ? "wrote this draft" : "published this"} ${ago(visit, publishedAt)}</span>${name}${oid !== undefined && html`<a class="mono" href="${commitLink(visit.root, access, oid)}">${icon(visit, "git-commit-horizontal")}${oid.slice(0, 10)}</a>`}${verifiedMark(visit, tag?.verification)}${
    since !== null &&
    since > 0 &&
    html`<a rel="nofollow" href="${compareLink(visit.root, access, tagName, access.repository.defaultBranch)}">${counted(since, "commit")} to ${access.repository.defaultBranch} since</a>`
  }${tag !== null && before !== null && html`<a rel="nofollow" href="${compareLink(visit.root, access, before, tagName)}">${icon(visit, "git-compare")}Compare with ${before}</a>`}</div>`;
}

/** A release with its notes and files. By itself it is the page, and its title the heading of that. */
export function releasePanel(visit: Visit, access: RepositoryAccess, shown: ShownRelease, isAlone: boolean): Html {
  const { tagName, title } = shown.release;
  const link = html`<a class="plain" href="${releaseLink(visit.root, access, tagName)}" dir="auto">${title || tagName}</a>`;
  const forms = offers(visit, writesReleases)
    ? html`<a class="button s" href="${releaseFormLink(visit.root, access, "edit", tagName)}">${icon(visit, "pencil")}Edit<span class="sr"> ${tagName}</span></a><a class="button s danger" href="${releaseFormLink(visit.root, access, "delete", tagName)}">${icon(visit, "trash-2")}Delete<span class="sr"> ${tagName}</span></a>`
    : null;
  return html`<section class="panel edge release" aria-label="${title || tagName}"><div class="body roomy stack"><div class="split flow"><div class="line flow grow">${isAlone ? html`<h1>${link}</h1>` : html`<h2>${link}</h2>`}${releaseTags(shown)}</div><div class="line">${forms}</div></div>
    ${facts(visit, access, shown)}
    <div class="document" dir="auto">${shown.notes}</div>
    ${assets(visit, access, shown)}</div></section>`;
}
