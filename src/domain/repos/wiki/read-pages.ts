import type { RepositoryAccess, RepositoryRow } from "../../../auth/subject.ts";
import type { RepositoryView } from "../../../git/job/repository-view.ts";
import type { CommitRecord } from "../../../git/log/commit-record.ts";
import type { LogResult } from "../../../git/operations/log.ts";
import { largestInlineFile } from "../../git/contents/content-reader.ts";
import { NotFound } from "../../spine/errors.ts";
import type { Forge } from "../../spine/forge.ts";
import { literalFile, pageAtPath, type PageName } from "./page-name.ts";
import { pagesAt, type WikiPage, type WikiPages } from "./pages-at.ts";
import { openWiki } from "../../git/wiki-stores/queries.ts";

/** Returns the pages of a wiki in the order of git; null where its branch has no commit yet. */
export async function openPages(forge: Forge, wiki: RepositoryRow): Promise<WikiPages | null> {
  const tip = await forge.git.refs.findRef(wiki.id, `refs/heads/${wiki.defaultBranch}`);
  if (tip === null) {
    return null;
  }
  const view = await forge.git.views.view({ ...wiki, generation: tip.generation });
  return pagesAt(forge, view, tip.oid);
}

/** The first page of each key. */
function firstBy(pages: readonly WikiPage[], key: "file" | "path" | "title"): ReadonlyMap<string, WikiPage> {
  return new Map(pages.toReversed().map((page) => [page[key], page]));
}

/**
 * Finds the page of a name as callers give it: a path, the name of a file, or a title; null where there is none. Names
 * that were decoded once too often are understood as far as they are of one page only. For many names: a text may link to a thousand pages.
 */
export function prepareFindPage({ pages }: Pick<WikiPages, "pages">): (name: string) => WikiPage | null {
  const [files, paths, titles] = [firstBy(pages, "file"), firstBy(pages, "path"), firstBy(pages, "title")];
  return (name) => {
    const file = literalFile(name);
    return (
      (file === null ? undefined : files.get(file)) ??
      paths.get(pageAtPath(name).path) ??
      titles.get(name) ??
      titles.get(name.replaceAll("+", " ")) ??
      null
    );
  };
}

/** Like `prepareFindPage`, for one name. */
export function findPage(pages: Pick<WikiPages, "pages">, name: string): WikiPage | null {
  return prepareFindPage(pages)(name);
}

/** A page that git put into a folder, by its path without `.md`: it can be read, and is changed with git. null: there is none. */
export async function findFolderPage(
  forge: Forge,
  { view, commit }: WikiPages,
  path: string,
): Promise<{ path: string; bytes: Uint8Array | null } | null> {
  for (const file of [path, `${path}.md`].filter((name) => name.includes("/") && name.endsWith(".md"))) {
    const found = await forge.git.contents.findFile(view, commit, file);
    if (found?.type === "blob") {
      return { path: file, bytes: found.bytes };
    }
  }
  return null;
}

/** Like `findPage`. Throws NotFound. */
export function getPage(opened: WikiPages | null, name: string): WikiPage {
  const page = opened === null ? null : findPage(opened, name);
  if (page === null) {
    throw new NotFound("wiki page", name.slice(0, 80));
  }
  return page;
}

/** A page with the commit that last changed it. */
export interface ListedPage {
  page: PageName;
  lastCommit: CommitRecord | null;
}

/** Returns some of a wiki's pages, and how many there are in all. */
export async function listPages(
  forge: Forge,
  access: RepositoryAccess,
  { offset, size }: { offset: number; size: number },
  signal?: AbortSignal,
): Promise<{ rows: ListedPage[]; total: number }> {
  const { repository: wiki } = await openWiki(forge.database.db, access);
  const opened = await openPages(forge, wiki);
  const chosen = opened?.pages.slice(offset, offset + size) ?? [];
  const [first, last] = [chosen[0], chosen.at(-1)];
  if (opened === null || first === undefined || last === undefined) {
    return { rows: [], total: opened?.pages.length ?? 0 };
  }
  const { view, pages } = opened;
  const span = { skip: first.index, limit: last.index - first.index + 1 };
  const lasts = await lastCommitsOf(forge, opened, span, signal);
  const oids = chosen.map(({ index }) => lasts[index - first.index] ?? "");
  const commits = await forge.git.commits.find(
    view,
    oids.filter((oid) => oid !== ""),
  );
  return {
    rows: chosen.map((page, index) => ({ page, lastCommit: commits.get(oids[index] ?? "") ?? null })),
    total: pages.length,
  };
}

/** The commits that last changed some entries of the root directory. One walk of the history finds those of all entries. */
async function lastCommitsOf(
  forge: Forge,
  { view, commit }: WikiPages,
  span: { skip: number; limit: number },
  signal?: AbortSignal,
): Promise<(string | undefined)[]> {
  const args = { commit, path: "", recursive: false, lastCommits: true, ...span };
  const listed = await forge.git.engine.call(view, "listTree", args, signal);
  return (listed?.entries ?? []).map(({ lastCommit }) => lastCommit?.oid);
}

/** A page with all that is told of it. Contents are null where they have more than `largestInlineFile` bytes. */
export interface ReadPage {
  page: PageName;
  lastCommit: CommitRecord;
  content: Uint8Array | null;
  /** The text beside and below every page; null if the wiki has none. */
  sidebar: Uint8Array | null;
  footer: Uint8Array | null;
  /** How many commits changed it under this name. */
  commits: number;
}

/** Reads one page. Throws NotFound. */
export async function readPage(
  forge: Forge,
  access: RepositoryAccess,
  name: string,
  signal?: AbortSignal,
): Promise<ReadPage> {
  const { repository: wiki } = await openWiki(forge.database.db, access);
  const opened = await openPages(forge, wiki);
  const page = getPage(opened, name);
  return readPageAt(forge, opened!, page, signal);
}

/** Reads a page of a commit. */
export async function readPageAt(
  forge: Forge,
  opened: WikiPages,
  page: WikiPage,
  signal?: AbortSignal,
): Promise<ReadPage> {
  const { view, commit, pages } = opened;
  const read = async (of: WikiPage | undefined) =>
    of === undefined
      ? null
      : ((await forge.git.engine.call(view, "readObject", { oid: of.oid, maxBytes: largestInlineFile }, signal))
          ?.bytes ?? null);
  const named = (title: string) => read(pages.find(({ file }) => file === `${title}.md`));
  const [content, sidebar, footer, log] = await Promise.all([
    read(page),
    named("_Sidebar"),
    named("_Footer"),
    logOf(forge, view, commit, page, { skip: 0, limit: 1 }, signal),
  ]);
  // A name that is not UTF-8 is in no path that could be asked for.
  const lastCommit =
    log.commits[0] ??
    (await forge.git.commits.get(
      view,
      (await lastCommitsOf(forge, opened, { skip: page.index, limit: 1 }, signal))[0] ?? commit,
    ));
  return { page, content, sidebar, footer, commits: log.total ?? 0, lastCommit };
}

/** Returns some of the commits of a wiki, or of those that changed one file of it, the latest first, and how many there are. */
export async function listCommits(
  forge: Forge,
  { view, commit }: Pick<WikiPages, "view" | "commit">,
  file: string | null,
  { offset, size }: { offset: number; size: number },
  signal?: AbortSignal,
): Promise<{ rows: CommitRecord[]; total: number }> {
  const slice = { skip: offset, limit: size, count: true, files: false, stats: false };
  const paths = file === null ? [] : [file];
  const { commits, total } = await forge.git.commits.log(view, { tips: [commit], not: [], paths, ...slice }, signal);
  return { rows: [...commits], total: total ?? 0 };
}

/** Returns some of the commits that changed a page, the latest first, and how many there are. Throws NotFound. */
export async function listRevisions(
  forge: Forge,
  access: RepositoryAccess,
  name: string,
  { offset, size }: { offset: number; size: number },
  signal?: AbortSignal,
): Promise<{ rows: CommitRecord[]; total: number }> {
  const { repository: wiki } = await openWiki(forge.database.db, access);
  const opened = await openPages(forge, wiki);
  const page = getPage(opened, name);
  return listCommits(forge, opened!, page.file, { offset, size }, signal);
}

function logOf(
  forge: Forge,
  view: RepositoryView,
  commit: string,
  { file }: PageName,
  slice: { skip: number; limit: number },
  signal?: AbortSignal,
): Promise<LogResult> {
  const args = { tips: [commit], not: [], paths: [file], ...slice, count: true, files: false, stats: false };
  return forge.git.commits.log(view, args, signal);
}
