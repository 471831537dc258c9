import type { RepositoryAccess } from "../../auth/subject.ts";
import { findLanguages } from "../../domain/git/languages/queries.ts";
import { readLicenses } from "../../domain/git/licenses/find-licenses.ts";
import { listLinkedPackages } from "../../domain/packages/queries.ts";
import { findLatestRelease, type FoundRelease } from "../../domain/repos/releases/queries.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { parseWebAddress } from "../../lib/web-address.ts";
import { reads } from "../frame/subject-tabs.ts";
import { html, type Html } from "../html.ts";
import { packageLink, releaseLink, releasesLink, repositoryLink, topicLink } from "../links.ts";
import { icon } from "../parts/icon.ts";
import { languageBar } from "../parts/language.ts";
import { counted, fileSize, wholeNumber } from "../parts/size.ts";
import { ago } from "../parts/time.ts";
import type { Visit } from "../visit.ts";
import type { RootDirectory } from "./directory.ts";
import { recentAuthors } from "./recent-authors.ts";

const shownPackages = 5;

function release(visit: Visit, access: RepositoryAccess, { release: found }: FoundRelease): Html {
  const { tagName, title, publishedAt, createdAt } = found;
  return html`<section><div class="split"><h2>Latest release</h2><a class="soft num" href="${releasesLink(visit.root, access)}" aria-label="${counted(access.counts.releases, "release")}">${wholeNumber(access.counts.releases)}</a></div><p class="line"><span class="green">${icon(visit, "tag")}</span><a class="plain cut" href="${releaseLink(visit.root, access, tagName)}" dir="auto"><b>${title || tagName}</b></a><span class="soft">${ago(visit, publishedAt ?? createdAt)}</span></p></section>`;
}

function packages(
  visit: Visit,
  owner: string,
  { rows, total }: Awaited<ReturnType<typeof listLinkedPackages>>,
): Html | null {
  const items = rows.map(
    ({ name, type }) =>
      html`<li>${icon(visit, "box")}<a class="plain cut" href="${packageLink(visit.root, owner, { type, name })}">${name}</a><span class="soft">${type}</span></li>`,
  );
  return total === 0
    ? null
    : html`<section><div class="split"><h2>Packages</h2><span class="soft num">${wholeNumber(total)}</span></div><ul class="facts">${items}</ul></section>`;
}

/** The column beside the files: what the repository is for, its licence, its latest release, its people and its languages. */
export async function about(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  root: RootDirectory | null,
): Promise<Html> {
  const { repository, counts } = access;
  const { db } = forge.database;
  const [licenses, languages, latest, linked] = await Promise.all([
    root === null ? [] : readLicenses(forge, root.revision.view, root.revision.commit, root.directory.entries),
    root === null ? null : findLanguages(db, repository.id),
    reads(visit, "releases") && counts.releases > 0 ? findLatestRelease(db, visit, repository.id) : null,
    reads(visit, "packages") ? listLinkedPackages(db, repository.id, shownPackages) : null,
  ]);
  const bar = languageBar(Object.entries(languages ?? {}).map(([name, bytes]) => ({ name, bytes })));
  const website =
    parseWebAddress(repository.website) !== null &&
    html`<li>${icon(visit, "link")}<a class="cut" rel="nofollow" href="${repository.website}">${repository.website.replace(/^https?:\/\//, "")}</a></li>`;
  const wiki =
    repository.hasWiki && repository.externalWikiUrl !== null && parseWebAddress(repository.externalWikiUrl) !== null
      ? html`<li>${icon(visit, "book-open")}<a rel="nofollow" href="${repository.externalWikiUrl}">Wiki</a></li>`
      : null;
  const quota = forge.config.quota.repository_limit_bytes;
  return html`<aside class="side" aria-label="About">
    <section><h2>About</h2>${repository.description === "" ? html`<p class="soft">There is no description.</p>` : html`<p dir="auto">${repository.description}</p>`}
    <ul class="facts">${website}${wiki}${licenses.length > 0 && html`<li>${icon(visit, "scale")}${licenses.join(", ")} license</li>`}
    <li>${icon(visit, "activity")}<a class="plain" rel="nofollow" href="${repositoryLink(visit.root, access)}/activity">Activity</a></li>
    <li>${icon(visit, "hard-drive")}${fileSize(counts.gitBytes + counts.lfsBytes)}${quota > 0 && html`, <span class="soft">quota ${fileSize(quota)}</span>`}</li></ul>
    ${repository.topics.length > 0 && html`<div class="line flow">${repository.topics.map((topic) => html`<a class="tag topic" href="${topicLink(visit.root, topic)}">${topic}</a>`)}</div>`}</section>
    ${latest !== null && release(visit, access, latest)}
    ${linked !== null && packages(visit, access.owner.name, linked)}
    ${root !== null && recentAuthors(visit, root.history, root.directory.authors)}
    ${bar !== null && html`<section><h2>Languages</h2>${bar}</section>`}</aside>`;
}
