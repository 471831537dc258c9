import type { RepositoryAccess } from "../../auth/subject.ts";
import { findCombinedStates } from "../../domain/repos/statuses/queries.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { deedsResponse } from "../feeds/deeds.ts";
import { feedFormatOf } from "../feeds/feed.ts";
import { reads } from "../frame/subject-tabs.ts";
import { html, type Html } from "../html.ts";
import { addMenu } from "../edit/add-menu.ts";
import { checksLink, repositoryLink, sourceLink } from "../links.ts";
import { repositorySuffix } from "../name-suffix.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { checkMark } from "../parts/check-mark.ts";
import { icon } from "../parts/icon.ts";
import { empty, note } from "../parts/note.ts";
import { wholeNumber } from "../parts/size.ts";
import type { Page } from "../respond.ts";
import type { Visit } from "../visit.ts";
import { about } from "./about.ts";
import { banners } from "./banners.ts";
import { cloneMenu } from "./clone-menu.ts";
import { commitLine, fileTable, readDirectory, type RootDirectory } from "./directory.ts";
import { guide } from "./guide.ts";
import { mayChange } from "./may-change.ts";
import { readme } from "./readme.ts";
import { lookedAtCommits } from "./recent-authors.ts";
import { readFewRefs, refMenu } from "./ref-menu.ts";

function countLink(
  reader: Visit,
  address: string,
  name: "git-branch" | "tag",
  count: number,
  words: [string, string],
): Html {
  return html`<a class="button bare not-narrow" href="${address}">${icon(reader, name)}<span><b class="text num">${wholeNumber(count)}</b> ${words[count === 1 ? 0 : 1]}</span></a>`;
}

async function files(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  { revision, directory, history }: RootDirectory,
): Promise<Html> {
  const [refs, states, shownReadme] = await Promise.all([
    readFewRefs(forge, access),
    findCombinedStates(forge.database.db, access.repository.id, [revision.commit]),
    readme(forge, visit, access, revision, directory.entries),
  ]);
  const rest = directory.total - directory.entries.length;
  const base = repositoryLink(visit.root, access);
  const total = history.total ?? 0;
  return html`<div class="tools">${refMenu(visit, access, revision, "", refs)}
    ${countLink(visit, `${base}/branches`, "git-branch", refs.branches.total, ["branch", "branches"])}
    ${countLink(visit, `${base}/tags`, "tag", refs.tags.total, ["tag", "tags"])}
    <span class="grow"></span><a class="button not-narrow" data-key="t" rel="nofollow" href="${sourceLink(visit.root, access, revision, "", "find")}">${icon(visit, "search")}Go to file<kbd aria-hidden="true">t</kbd></a>
    ${mayChange(visit, access) && addMenu(visit, access, revision.name)}${cloneMenu(forge, visit, access, revision)}</div>
    <div class="panel edge"><div class="head">${commitLine(visit, access, directory.head, directory.authors, checkMark(visit, states.get(revision.commit), checksLink(visit.root, access, revision.commit)))}<a class="button s bare" href="${sourceLink(visit.root, access, revision, "", "commits")}">${icon(visit, "history")}<span><b class="text num">${wholeNumber(total)}</b> ${total === 1 ? "commit" : "commits"}</span></a></div>
    ${fileTable(visit, access, revision, directory)}
    ${rest > 0 && html`<footer class="soft">and <a href="${sourceLink(visit.root, access, revision, "")}?page=2">${wholeNumber(rest)} more</a></footer>`}</div>
    ${shownReadme}`;
}

/** null: nothing was pushed to the default branch. */
async function readRoot(forge: Forge, visit: Visit, { repository }: RepositoryAccess): Promise<RootDirectory | null> {
  const revision = repository.empty ? null : await forge.git.revisions.find(repository);
  if (revision === null) {
    return null;
  }
  const walk = { tips: [revision.commit], not: [], paths: [], skip: 0, limit: lookedAtCommits };
  const log = { ...walk, count: true, files: false, stats: false };
  const reading = forge.git.commits.log(revision.view, log, visit.request.signal);
  const emails = reading.then(({ commits }) => commits.map(({ author }) => author.email));
  const [directory, history] = await Promise.all([readDirectory(forge, visit, revision, "", 0, emails), reading]);
  return directory === null ? null : { revision, directory, history };
}

/** The feeds of a repository that the visitor may read. */
function feedsOf(visit: Visit, access: RepositoryAccess) {
  const base = repositoryLink(visit.root, access);
  const releases = reads(visit, "releases") ? [{ address: `${base}/releases`, title: "Releases" }] : [];
  return [{ address: base, title: "What happens here" }, ...releases];
}

/** The front page of a repository: its files, what they say of themselves, and what it is about. `problem`: why a form of it failed. */
export async function homePage(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  problem: string | null = null,
): Promise<Page> {
  const name = `${access.owner.name}/${access.repository.name}`;
  const readsCode = reads(visit, "code");
  const root = readsCode ? await readRoot(forge, visit, access) : null;
  const [above, beside, shown] = await Promise.all([
    banners(forge, visit, access),
    about(forge, visit, access, root),
    root !== null
      ? files(forge, visit, access, root)
      : readsCode
        ? guide(forge, visit, access)
        : empty(visit, "lock", "No code to see", "The code of this repository is not open to you."),
  ]);
  return {
    title: name,
    place: { tab: "code" },
    head: { feeds: feedsOf(visit, access) },
    sees: "code",
    body: html`<h1 class="sr">${name}</h1>
      <div class="columns"><div class="stack">${note(visit, "bad", problem)}${above}<div id="files" data-live data-offer data-key="${root?.revision.commit ?? ""}" data-said="${access.repository.defaultBranch} moved">${shown}</div></div>${beside}</div>`,
  };
}

export function homePages(forge: Forge, page: DeclarePage): PageRoute[] {
  const readAny = { may: { on: "repository", do: "read", unit: "any" } } as const;
  return [
    page("GET", "/:owner/:repo", readAny, ({ visit, repository: access }) => {
      const [suffix] = repositorySuffix.exec(visit.params["repo"] ?? "") ?? [];
      const format = feedFormatOf(suffix);
      if (format === null) {
        return homePage(forge, visit, access);
      }
      const { owner, repository } = access;
      const link = forge.addresses.repository(owner.name, repository.name);
      const about = { title: `${owner.name}/${repository.name}`, about: repository.description, link };
      return deedsResponse(forge, visit, format, { kind: "repository", repositoryId: repository.id }, about);
    }),
  ];
}
