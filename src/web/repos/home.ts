import type { RepositoryAccess } from "../../auth/subject.ts";
import { accessModes } from "../../db/schema/owners.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import { findRunningMigration } from "../../domain/exchange/migrations/queries.ts";
import type { Revision } from "../../domain/git/refs/revisions.ts";
import type { TreeItem } from "../../git/tree/tree-item.ts";
import { shellQuote } from "../../lib/shell-quote.ts";
import { parseWebAddress } from "../../lib/web-address.ts";
import { reads } from "../frame/subject-tabs.ts";
import { html, type Html } from "../html.ts";
import { repositoryLink, sourceLink } from "../links.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { icon } from "../parts/icon.ts";
import { empty, note } from "../parts/note.ts";
import { wholeNumber } from "../parts/size.ts";
import { ago } from "../parts/time.ts";
import { migrationProgress } from "../settings/migrations.ts";
import type { Visit } from "../visit.ts";
import { about } from "./about.ts";
import { cloneMenu } from "./clone-menu.ts";
import { commitLine, fileTable, readDirectory, type RootDirectory } from "./directory.ts";
import { renderDocument, textOf } from "./document.ts";
import { readFewRefs, refMenu } from "./ref-menu.ts";

const readmeNames = ["readme.md", "readme.markdown", "readme", "readme.txt", "readme.rst"];

/** The file that tells what a directory is about; Markdown before other texts. */
function findReadme(entries: readonly TreeItem[]): TreeItem | null {
  const files = entries.filter(({ type }) => type === "blob");
  for (const wanted of readmeNames) {
    const found = files.find(({ name }) => name.toLowerCase() === wanted);
    if (found !== undefined) {
      return found;
    }
  }
  return null;
}

async function readme(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  revision: Revision,
  entries: readonly TreeItem[],
): Promise<Html | null> {
  const item = findReadme(entries);
  const bytes =
    item === null
      ? null
      : ((await forge.git.contents.findFile(revision.view, revision.commit, item.path))?.bytes ?? null);
  const text = bytes === null ? null : textOf(bytes);
  return item === null || text === null
    ? null
    : html`<section class="panel edge readme" aria-labelledby="readme"><div class="head">${icon(visit, "book-open", "faint")}<h2 id="readme">${item.name}</h2></div><div class="body roomy">${await renderDocument(forge, visit, access, revision, item.path, text)}</div></section>`;
}

/** Commands that fill an empty repository, ready to be copied. A branch name can have characters that a shell interprets. */
function pushCommands(forge: Forge, root: string, { owner, repository }: RepositoryAccess): Html {
  const branch = shellQuote(repository.defaultBranch);
  const format = repository.objectFormat === "sha1" ? "" : ` --object-format=${repository.objectFormat}`;
  const ssh = forge.addresses.sshClone(owner.name, repository.name);
  const address = shellQuote(forge.addresses.clone(owner.name, repository.name));
  return html`<h2>Start a new repository</h2>
    <pre tabindex="0">git init${format} -b ${branch}
echo ${shellQuote(`# ${repository.name}`)} &gt; README.md
git add README.md
git commit -m 'First commit'
git remote add origin ${address}
git push -u origin ${branch}</pre>
    <h2>Push an existing repository</h2>
    <pre tabindex="0">git remote add origin ${address}
git push -u origin --all
git push origin --tags</pre>
    <p>Git asks for your user name and a password: give it an <a href="${root}/user/settings/tokens">access token</a>.
    ${ssh === "" ? null : html`With an <a href="${root}/user/settings/keys">SSH key</a>, use <code>${ssh}</code> as the address.`}</p>`;
}

/** A link to a wiki that is elsewhere. */
function outsideWiki({ repository: { hasWiki, externalWikiUrl } }: RepositoryAccess): Html | null {
  return hasWiki && externalWikiUrl !== null && parseWebAddress(externalWikiUrl) !== null
    ? html`<p><a rel="nofollow" href="${externalWikiUrl}">Wiki</a></p>`
    : null;
}

/** Tells those who have the repository brought from elsewhere how far that is. */
async function migrationOf({ database }: Forge, visit: Visit, access: RepositoryAccess): Promise<Html | null> {
  const { actor } = visit;
  const row = actor === null ? null : await findRunningMigration(database.db, access.repository.id, actor.id);
  return row === null
    ? null
    : note(
        visit,
        "info",
        html`It is being brought from ${row.address}: ${migrationProgress(row)} <a href="${visit.root}/user/settings/migrations">Migrations</a>`,
      );
}

/** What stands above a repository that people ought to know. */
async function banners(forge: Forge, visit: Visit, access: RepositoryAccess): Promise<Html> {
  const { repository } = access;
  const archived =
    repository.archivedAt !== null &&
    note(
      visit,
      "warn",
      html`This repository was archived ${ago(visit, repository.archivedAt)}: it can be read and cloned, and nothing can be changed.`,
    );
  return html`${archived}${await migrationOf(forge, visit, access)}`;
}

async function files(
  forge: Forge,
  visit: Visit,
  access: RepositoryAccess,
  { revision, directory }: RootDirectory,
): Promise<Html> {
  const refs = await readFewRefs(forge, access);
  const rest = directory.total - directory.entries.length;
  const base = repositoryLink(visit.root, access);
  const all = sourceLink(visit.root, access, revision, "");
  return html`<div class="tools">${refMenu(visit, access, revision, "", refs)}
    <a class="button bare not-narrow" href="${base}/branches">${icon(visit, "git-branch")}<span><b class="text num">${wholeNumber(refs.branches.total)}</b> ${refs.branches.total === 1 ? "branch" : "branches"}</span></a>
    <a class="button bare not-narrow" href="${base}/tags">${icon(visit, "tag")}<span><b class="text num">${wholeNumber(refs.tags.total)}</b> ${refs.tags.total === 1 ? "tag" : "tags"}</span></a>
    <span class="grow"></span>${cloneMenu(forge, visit, access, revision)}</div>
    <div class="panel edge"><div class="head">${commitLine(visit, access, directory.head, directory.authors)}<a class="button s bare" href="${sourceLink(visit.root, access, revision, "", "commits")}" aria-label="History">${icon(visit, "history")}<span class="not-narrow">History</span></a></div>
    ${fileTable(visit, access, revision, directory)}
    ${rest > 0 && html`<footer class="soft">and <a href="${all}?page=2">${wholeNumber(rest)} more</a></footer>`}</div>
    ${await readme(forge, visit, access, revision, directory.entries)}`;
}

function guide(forge: Forge, visit: Visit, access: RepositoryAccess): Html {
  const { owner, repository, units } = access;
  const mayWrite = visit.actor !== null && units.code >= accessModes.write && repository.archivedAt === null;
  return html`<div class="panel edge">${empty(visit, "git-branch", "This repository is empty", html`Nothing was pushed to the branch <code>${repository.defaultBranch}</code> yet. Its address is <code>${forge.addresses.clone(owner.name, repository.name)}</code>.`)}
    ${mayWrite && html`<div class="body roomy stack">${pushCommands(forge, visit.root, access)}</div>`}</div>`;
}

/** The front page of a repository: its files, what they say of themselves, and what it is about. */
export function homePages(forge: Forge, page: DeclarePage): PageRoute[] {
  /** null: nothing was pushed to the default branch. */
  async function readRoot(visit: Visit, { repository }: RepositoryAccess): Promise<RootDirectory | null> {
    const revision = repository.empty ? null : await forge.git.revisions.find(repository);
    const directory = revision === null ? null : await readDirectory(forge, visit, revision, "", 0);
    return revision === null || directory === null ? null : { revision, directory };
  }

  return [
    page(
      "GET",
      "/:owner/:repo",
      { may: { on: "repository", do: "read", unit: "any" } },
      async ({ visit, repository: access }) => {
        const { repository } = access;
        const readsCode = reads(visit, "code");
        const root = readsCode ? await readRoot(visit, access) : null;
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
          title: `${access.owner.name}/${repository.name}`,
          place: { tab: "code" },
          body: html`<h1 class="sr">${access.owner.name}/${repository.name}</h1>
            <div class="columns"><div class="stack">${above}${outsideWiki(access)}<div>${shown}</div></div>${beside}</div>`,
        };
      },
    ),
  ];
}
