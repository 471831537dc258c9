import type { RepositoryAccess } from "../../../auth/subject.ts";
import type { FileChange } from "../../../git/edit/apply-changes.ts";
import type { FiledBytes } from "../../../git/pack/filed-bytes.ts";
import { commitFiles, type BranchTip } from "../../git/contents/commit-files.ts";
import type { Doer } from "../../spine/doer.ts";
import { namedRepository } from "../../spine/events/names.ts";
import type { Forge } from "../../spine/forge.ts";
import { InvalidWikiPage, WikiPageChanged, WikiPageExists } from "./errors.ts";
import { nameOfTitle, type PageName } from "./page-name.ts";
import { openWiki } from "../../git/wiki-stores/queries.ts";
import { pagesAt, type WikiPage } from "./pages-at.ts";
import { getPage, openPages, readPageAt, type ReadPage } from "./read-pages.ts";

type Content = Uint8Array | FiledBytes;

/** An edit of a page. */
export interface PageEdit {
  /** The new title of an edit; absent if it stays. */
  title?: string | undefined;
  /** The new content of an edit; absent if it stays. */
  content?: Content | undefined;
  /** The message of the commit; it has a default. */
  message?: string | undefined;
  /** The oid of the content that the editor saw: an edit of another one is refused. */
  seenOid?: string | undefined;
  /** Files that come with it, such as pictures. Their paths must be free. */
  files?: readonly WikiFile[] | undefined;
}

/** A file of a wiki that is no page. */
export interface WikiFile {
  /** In the wiki, with its folder. */
  path: string;
  bytes: Content;
}

/**
 * Writes a new page in a commit of the doer. Throws InvalidWikiPage, WikiPageExists, and what commitFiles throws.
 */
export async function createPage(
  forge: Forge,
  doer: Doer,
  access: RepositoryAccess,
  { title, content, message, files }: PageEdit,
): Promise<ReadPage> {
  const name = nameOfTitle(title ?? "");
  const bytes = content ?? new Uint8Array(0);
  const change: FileChange = { ...noChange, operation: "create", path: name.file, bytes };
  return commitPage(forge, doer, access, {
    name,
    files,
    message: message || `Add "${name.title}"`,
    kind: "wiki.page-created",
    plan: (pages) => {
      checkNameFree(pages, name, null);
      return change;
    },
  });
}

/**
 * Changes a page's content, its title, or both, in a commit of the doer. A page that somebody else changes after this has
 * begun is not written over. Throws NotFound, InvalidWikiPage, WikiPageExists, WikiPageChanged, and what commitFiles throws.
 */
export async function editPage(
  forge: Forge,
  doer: Doer,
  access: RepositoryAccess,
  path: string,
  { title, content, message, seenOid, files }: PageEdit,
): Promise<ReadPage> {
  const { repository: wiki } = await openWiki(forge.database.db, access);
  const before = getPage(await openPages(forge, wiki), path);
  if (seenOid !== undefined && seenOid !== before.oid) {
    throw new WikiPageChanged(before.title);
  }
  const name = !title?.trim() || title.trim() === before.title ? before : nameOfTitle(title);
  if (content === undefined && name === before) {
    throw new InvalidWikiPage("content_base64 or another title is required: without them nothing would change");
  }
  const change: FileChange = {
    ...noChange,
    operation: "update",
    path: name.file,
    fromPath: name === before ? null : before.file,
    bytes: content ?? null,
  };
  return commitPage(forge, doer, access, {
    name,
    files,
    message: message || `Update "${name.title}"`,
    kind: "wiki.page-edited",
    plan: (pages) => {
      checkUnchanged(pages, before);
      if (name !== before) {
        checkNameFree(pages, name, before);
      }
      return change;
    },
  });
}

/** Deletes a page in a commit of the doer. Throws NotFound, WikiPageChanged, and what commitFiles throws. */
export async function deletePage(
  forge: Forge,
  doer: Doer,
  access: RepositoryAccess,
  path: string,
  message = "",
): Promise<void> {
  const { repository: wiki } = await openWiki(forge.database.db, access);
  const before = getPage(await openPages(forge, wiki), path);
  await commitChange(forge, doer, access, {
    name: before,
    message: message || `Delete page "${before.title}"`,
    kind: "wiki.page-deleted",
    plan: (pages) => {
      checkUnchanged(pages, before);
      return { ...noChange, operation: "delete", path: before.file };
    },
  });
}

const noChange = { fromPath: null, bytes: null, mode: null, expectedOid: null } as const;

interface PageCommit {
  name: PageName;
  files?: readonly WikiFile[] | undefined;
  message: string;
  kind: "wiki.page-created" | "wiki.page-edited" | "wiki.page-deleted";
  /** Makes the change to the pages of the tip that is committed on; again when that moves. */
  plan: (pages: readonly WikiPage[]) => FileChange;
}

async function commitPage(forge: Forge, doer: Doer, access: RepositoryAccess, request: PageCommit): Promise<ReadPage> {
  const { view, commit } = await commitChange(forge, doer, access, request);
  const opened = await pagesAt(forge, view, commit);
  return readPageAt(
    forge,
    opened,
    opened.pages.find(({ file }) => file === request.name.file)!,
  );
}

async function commitChange(
  forge: Forge,
  doer: Doer,
  access: RepositoryAccess,
  { name, files = [], message, kind, plan }: PageCommit,
) {
  const wiki = await openWiki(forge.database.db, access);
  return commitFiles(forge, doer, {
    repository: wiki,
    changes: async (tip) => [
      plan(await pagesOf(forge, tip)),
      ...files.map(({ path, bytes }): FileChange => ({ ...noChange, operation: "create", path, bytes })),
    ],
    options: { branch: wiki.repository.defaultBranch, message },
    tell: (work) =>
      work.tell({ kind, repository: namedRepository(access), page: name.title, path: name.path, comment: message }),
  });
}

async function pagesOf(forge: Forge, { view, commit }: BranchTip): Promise<readonly WikiPage[]> {
  return commit === null ? [] : (await pagesAt(forge, view, commit)).pages;
}

function checkUnchanged(pages: readonly WikiPage[], before: WikiPage): void {
  if (pages.find(({ file }) => file === before.file)?.oid !== before.oid) {
    throw new WikiPageChanged(before.title);
  }
}

const same = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

/** No other page may have this title or file, nor one that differs from it in case only. */
function checkNameFree(pages: readonly WikiPage[], name: PageName, self: WikiPage | null): void {
  const present = pages.find(
    ({ title, file }) => file !== self?.file && (same(title, name.title) || same(file, name.file)),
  );
  if (present !== undefined) {
    throw new WikiPageExists(name.title, present.title);
  }
}
