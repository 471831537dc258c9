import { demandTo, isAllowed } from "../../domain/access/guard.ts";
import type { RepositoryAccess } from "../../auth/subject.ts";
import { accessModes, type Unit } from "../../db/schema/owners.ts";
import type { Forge } from "../../domain/forge.ts";
import type { Revision } from "../../domain/refs/revisions.ts";
import type { TreeItem } from "../../git/tree/tree-item.ts";
import { shellQuote } from "../../lib/shell-quote.ts";
import { findRunningMigration } from "../../domain/migrations/queries.ts";
import { migrationProgress } from "../settings/migrations.ts";
import { html, type Html } from "../html.ts";
import { repositoryLink, sourceLink, wikiLink } from "../links.ts";
import type { DeclarePage, PageRoute } from "../pages.ts";
import { tags } from "../parts.ts";
import type { Visit } from "../visit.ts";
import { renderDocument, textOf } from "./document.ts";
import { entryTable } from "./entry-table.ts";
import { parseWebAddress } from "../../lib/web-address.ts";

const readmeNames = ["readme.md", "readme.markdown", "readme", "readme.txt", "readme.rst"];
const listedEntries = 1000;

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
    : html`<h2>${item.name}</h2>${await renderDocument(forge, visit, access, revision, item.path, text)}`;
}

/** The title line of all pages of a repository. */
export function heading(root: string, access: RepositoryAccess): Html {
  const { owner, repository } = access;
  return html`<h1><a href="${root}/${encodeURIComponent(owner.name)}">${owner.name}</a>/<a href="${repositoryLink(root, access)}">${repository.name}</a> ${tags(access)}</h1>`;
}

function cloneAddresses(forge: Forge, { owner, repository }: RepositoryAccess): Html {
  const ssh = forge.addresses.sshClone(owner.name, repository.name);
  return html`<dt>HTTP</dt><dd><code>${forge.addresses.clone(owner.name, repository.name)}</code></dd>${ssh === "" ? null : html`<dt>SSH</dt><dd><code>${ssh}</code></dd>`}`;
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

async function code(forge: Forge, visit: Visit, access: RepositoryAccess): Promise<Html> {
  const revision = access.repository.empty ? null : await forge.git.revisions.find(access.repository);
  const tree =
    revision === null
      ? null
      : await forge.git.engine.call(
          revision.view,
          "listTree",
          { commit: revision.commit, path: "", recursive: false, lastCommits: false, skip: 0, limit: listedEntries },
          visit.request.signal,
        );
  if (revision === null || tree === null) {
    const mayWrite = access.units.code >= accessModes.write && access.repository.archivedAt === null;
    return html`<p>Nothing was pushed to the branch <code>${access.repository.defaultBranch}</code> yet.</p>
      ${visit.actor !== null && mayWrite ? pushCommands(forge, visit.root, access) : null}`;
  }
  return html`<h2>Files of <a href="${sourceLink(visit.root, access, revision, "")}">${revision.name}</a></h2>
    ${entryTable(visit.root, access, revision, tree)}${await readme(forge, visit, access, revision, tree.entries)}`;
}

/** Shows the progress of a migration to the user who started it. */
async function migrationOf(
  { database }: Forge,
  { actor, root }: Visit,
  access: RepositoryAccess,
): Promise<Html | null> {
  const row = actor === null ? null : await findRunningMigration(database.db, access.repository.id, actor.id);
  return row === null
    ? null
    : html`<p class="note good" role="status">It is being brought from ${row.address}: ${migrationProgress(row)} <a href="${root}/user/settings/migrations">Migrations</a></p>`;
}

/** The overview of a repository, with its clone addresses and its readme. */
export function overviewPages(forge: Forge, page: DeclarePage): PageRoute[] {
  return [
    page(
      "GET",
      "/:owner/:repo",
      { may: { on: "repository", do: "read", unit: "any" } },
      async ({ visit, repository: access }) => {
        const { repository } = access;
        const reads = (unit: Unit) =>
          isAllowed(visit.subject, demandTo({ on: "repository", do: "read", unit }, "read", []));
        const mayRead = reads("code");
        const wiki = reads("wiki")
          ? html`<p><a href="${wikiLink(visit.root, access)}">Wiki</a></p>`
          : outsideWiki(access);
        const website =
          parseWebAddress(repository.website) !== null
            ? html`<p><a rel="nofollow" href="${repository.website}">${repository.website}</a></p>`
            : null;
        return {
          title: `${access.owner.name}/${repository.name}`,
          body: html`${heading(visit.root, access)}
            ${await migrationOf(forge, visit, access)}${repository.description === "" ? null : html`<p>${repository.description}</p>`}${website}${wiki}
            <h2>Clone</h2>
            <dl class="pairs">${mayRead ? cloneAddresses(forge, access) : null}<dt>Default branch</dt><dd><code>${repository.defaultBranch}</code></dd></dl>
            ${mayRead ? await code(forge, visit, access) : html`<p>The code of this repository is not open to you.</p>`}`,
        };
      },
    ),
  ];
}
