import type { RepositoryAccess } from "../../auth/subject.ts";
import { readLicenses } from "../../domain/git/licenses/find-licenses.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { findLanguages } from "../../domain/git/languages/queries.ts";
import { findLatestRelease } from "../../domain/repos/releases/queries.ts";
import { parseWebAddress } from "../../lib/web-address.ts";
import { reads } from "../frame/subject-tabs.ts";
import { html, type Html } from "../html.ts";
import { icon } from "../parts/icon.ts";
import { languageBar } from "../parts/language.ts";
import { fileSize, shortNumber } from "../parts/size.ts";
import { ago } from "../parts/time.ts";
import type { Visit } from "../visit.ts";
import type { RootDirectory } from "./directory.ts";

/** The column beside the files: what the repository is for, its licence, its latest release and its languages. */
export async function about(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  root: RootDirectory | null,
): Promise<Html> {
  const { repository, counts } = access;
  const { db } = forge.database;
  const [licenses, languages, latest] = await Promise.all([
    root === null ? [] : readLicenses(forge, root.revision.view, root.revision.commit, root.directory.entries),
    root === null ? null : findLanguages(db, repository.id),
    reads(visit, "releases") && counts.releases > 0 ? findLatestRelease(db, visit, repository.id) : null,
  ]);
  const bar = languageBar(Object.entries(languages ?? {}).map(([name, bytes]) => ({ name, bytes })));
  const website =
    parseWebAddress(repository.website) === null
      ? null
      : html`<li>${icon(visit, "link")}<a class="cut" rel="nofollow" href="${repository.website}">${repository.website.replace(/^https?:\/\//, "")}</a></li>`;
  return html`<aside class="side" aria-label="About">
    <section><h2>About</h2>${repository.description === "" ? html`<p class="soft">There is no description.</p>` : html`<p dir="auto">${repository.description}</p>`}
    <ul class="facts">${website}${licenses.length > 0 && html`<li>${icon(visit, "scale")}${licenses.join(", ")}</li>`}
    <li>${icon(visit, "star")}${shortNumber(counts.stars)} ${counts.stars === 1 ? "star" : "stars"}</li>
    <li>${icon(visit, "git-fork")}${shortNumber(counts.forks)} ${counts.forks === 1 ? "fork" : "forks"}</li>
    <li>${icon(visit, "hard-drive")}${fileSize(counts.gitBytes + counts.lfsBytes)}</li></ul>
    ${repository.topics.length > 0 && html`<div class="line flow">${repository.topics.map((topic) => html`<span class="tag topic">${topic}</span>`)}</div>`}</section>
    ${latest !== null && html`<section><h2>Latest release</h2><p class="line"><span class="green">${icon(visit, "tag")}</span><b class="cut">${latest.release.title || latest.release.tagName}</b><span class="soft">${ago(visit, latest.release.publishedAt ?? latest.release.createdAt)}</span></p></section>`}
    ${bar !== null && html`<section><h2>Languages</h2>${bar}</section>`}</aside>`;
}
