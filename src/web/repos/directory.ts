import type { RepositoryAccess } from "../../auth/subject.ts";
import type { EmailOwners } from "../../domain/git/commits/queries.ts";
import type { Forge } from "../../domain/spine/forge.ts";
import type { Revision } from "../../domain/git/refs/revisions.ts";
import type { CommitRecord } from "../../git/log/commit-record.ts";
import type { LogResult } from "../../git/operations/log.ts";
import type { ListTreeResult } from "../../git/operations/list-tree.ts";
import { clip } from "../../lib/show-value.ts";
import type { IconName } from "../assets/icons.ts";
import type { Reader } from "../frame/reader.ts";
import { html, type Html } from "../html.ts";
import { commitLink, sourceLink } from "../links.ts";
import { icon } from "../parts/icon.ts";
import { ago } from "../parts/time.ts";
import type { Visit } from "../visit.ts";
import { commitTitle } from "./commit-title.ts";
import { committed } from "../parts/person.ts";

/** The most entries that a page shows; the next page has the ones after them. */
export const shownEntries = 1000;
/** The most UTF-16 code units that a page shows of a name. */
const shownName = 255;

type Entry = ListTreeResult["entries"][number];

const icons: Readonly<Record<Entry["type"], IconName>> = {
  tree: "folder",
  blob: "file",
  symlink: "file-symlink",
  submodule: "folder-git-2",
};

/** A directory with the commits that last changed its entries. */
export interface Directory {
  readonly entries: readonly Entry[];
  readonly total: number;
  readonly commits: ReadonlyMap<string, CommitRecord>;
  /** The commit that last changed something in it. */
  readonly head: CommitRecord;
  readonly authors: EmailOwners;
}

/** The root directory of the branch that a repository shows, with the last commits and how many there are. */
export interface RootDirectory {
  readonly revision: Revision;
  readonly directory: Directory;
  readonly history: LogResult;
}

/**
 * Reads a directory of a commit, `shownEntries` of it from `skip` on; null if there is none at the path. `others`: addresses of further people who are
 * looked up with the author of its last commit.
 */
export async function readDirectory(
  { git, findUsersByEmail }: Forge,
  visit: Visit,
  { view, commit }: Revision,
  path: string,
  skip: number,
  others: Promise<readonly string[]> | null = null,
): Promise<Directory | null> {
  const { signal } = visit.request;
  const tree = await git.contents.pageOfDirectory(view, { commit, path, skip, limit: shownEntries }, signal);
  if (tree === null) {
    return null;
  }
  const last = path === "" ? null : await git.contents.findLastCommit(view, commit, path, signal);
  const newest = last?.oid ?? commit;
  const oids = new Set([newest, ...tree.entries.flatMap(({ lastCommit }) => lastCommit?.oid ?? [])]);
  const commits = await git.commits.find(view, [...oids]);
  const head = await git.commits.get(view, newest);
  const authors = await findUsersByEmail([head.author.email, ...((await others) ?? [])], visit);
  return { entries: tree.entries, total: tree.total, commits, head, authors };
}

/** The line above a directory or file: who made the commit, what it says, the state of its checks, and when. */
export function commitLine(
  reader: Reader,
  access: RepositoryAccess,
  commit: CommitRecord,
  authors: EmailOwners,
  state: Html | null = null,
): Html {
  const link = commitLink(reader.root, access, commit.oid);
  return html`${committed(reader, authors.find(commit.author.email), commit.author.name)}
    <a class="soft cut grow" href="${link}" dir="auto">${commitTitle(commit.message)}</a>
    ${state}<a class="oid not-narrow" href="${link}">${commit.oid.slice(0, 10)}</a>
    <span class="soft not-narrow">${ago(reader, new Date(commit.committer.seconds * 1000))}</span>`;
}

function row(reader: Reader, access: RepositoryAccess, revision: Revision, directory: Directory, entry: Entry): Html {
  const { name, path, type, lastCommit } = entry;
  const label = html`${icon(reader, icons[type])}<span class="cut">${clip(name, shownName)}</span>`;
  const shown =
    type === "submodule"
      ? html`<span class="name" title="A repository of its own, at commit ${entry.oid}">${label}</span>`
      : html`<a class="name${type === "tree" ? " directory" : ""}" href="${sourceLink(reader.root, access, revision, path)}">${label}</a>`;
  const commit = lastCommit === null ? undefined : directory.commits.get(lastCommit.oid);
  const message =
    commit === undefined
      ? null
      : html`<a class="message" href="${commitLink(reader.root, access, commit.oid)}" dir="auto">${commitTitle(commit.message)}</a>`;
  const when = lastCommit === null ? null : ago(reader, new Date(lastCommit.seconds * 1000));
  return html`<tr><td>${shown}</td><td>${message}</td><td>${when}</td></tr>`;
}

/** The entries of a directory with their last commits, directories first. `path`: the directory's; the root has none above it. */
export function fileTable(
  reader: Reader,
  access: RepositoryAccess,
  revision: Revision,
  directory: Directory,
  path = "",
): Html {
  const above = path.slice(0, Math.max(0, path.lastIndexOf("/")));
  const up =
    path !== "" &&
    html`<tr><td><a class="name directory" href="${sourceLink(reader.root, access, revision, above)}" aria-label="The directory above">${icon(reader, "folder")}..</a></td><td></td><td></td></tr>`;
  const sorted = directory.entries.toSorted((a, b) => Number(b.type === "tree") - Number(a.type === "tree"));
  const rows = sorted.map((entry) => row(reader, access, revision, directory, entry));
  return html`<table class="files"><caption class="sr">Files of ${revision.name}</caption><colgroup><col><col><col></colgroup><thead class="sr"><tr><th scope="col">Name</th><th scope="col">Last commit</th><th scope="col">When</th></tr></thead><tbody>${up}${rows}</tbody></table>`;
}
