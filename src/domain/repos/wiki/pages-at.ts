import { repositoryOf, type RepositoryView } from "../../../git/job/repository-view.ts";
import { ByteCache } from "../../../lib/byte-cache.ts";
import { StithyError } from "../../../lib/errors.ts";
import { JoinedWork } from "../../../lib/joined-work.ts";
import { inTurns } from "../../../lib/turns.ts";
import type { Forge } from "../../spine/forge.ts";
import { literalPath, pageOfFile, type PageName } from "./page-name.ts";

/** A page as the root directory of a wiki has it. */
export interface WikiPage extends PageName {
  /** The oid of its content. */
  oid: string;
  /** Its place among all entries of the directory. */
  index: number;
}

/** The pages of a wiki at one commit. */
export interface WikiPages {
  view: RepositoryView;
  /** The tip of the wiki's branch. */
  commit: string;
  pages: readonly WikiPage[];
}

/** Entries of a wiki's root directory, pages and others: as many as a directory has that is listed with its commits. */
const mostEntries = 10_000;

const keptBytes = 32 * 1024 * 1024;
/** About what a page takes: its title, path and file, and the object around them. */
const pageBytes = 400;

class WikiTooLarge extends StithyError {
  constructor(entries: number) {
    super(
      "too-large",
      "wiki-too-large",
      `The wiki has ${entries} files in its root directory; pages are found among at most ${mostEntries}`,
      { entries },
    );
  }
}

/**
 * A request for a page needs the names of all pages. Lists never go stale, because a commit always has the same pages.
 */
interface PageLists {
  kept: ByteCache<readonly WikiPage[]>;
  underWay: JoinedWork<readonly WikiPage[]>;
}

/** Each server of a process has its own. */
const lists = new WeakMap<object, PageLists>();

function listsOf({ database }: Forge): PageLists {
  const found = lists.get(database) ?? { kept: new ByteCache(keptBytes), underWay: new JoinedWork() };
  lists.set(database, found);
  return found;
}

/**
 * Returns the pages of a commit: the files of the root directory that end with `.md`, whatever else git put there. Where two
 * files are of the same title, one has the title's path, and the other the path of its file. Throws WikiTooLarge.
 */
export async function pagesAt(forge: Forge, view: RepositoryView, commit: string): Promise<WikiPages> {
  const { kept, underWay } = listsOf(forge);
  // The wiki stands in the key: what one repository's commit has is not told by another's.
  const key = `${repositoryOf(view.key)}:${commit}`;
  const list = async () => {
    const pages = await listPagesAt(forge, view, commit);
    kept.set(key, pages, pages.length * pageBytes);
    return pages;
  };
  return { view, commit, pages: kept.get(key) ?? (await underWay.do(key, list)) };
}

async function listPagesAt(forge: Forge, view: RepositoryView, commit: string): Promise<readonly WikiPage[]> {
  const args = { commit, path: "", recursive: false, lastCommits: false, skip: 0, limit: mostEntries };
  const listed = await forge.git.engine.call(view, "listTree", { ...args, most: mostEntries });
  if (listed !== null && listed.total > mostEntries) {
    throw new WikiTooLarge(listed.total);
  }
  const found: WikiPage[] = [];
  const others: WikiPage[] = [];
  const taken = new Set<string>();
  let index = 0;
  for await (const { name: entry, type, oid } of inTurns(listed?.entries ?? [])) {
    const named = type === "blob" ? pageOfFile(entry) : null;
    if (named !== null) {
      const { isCanonical, ...name } = named;
      const page = { ...name, oid, index };
      found.push(page);
      if (isCanonical) {
        taken.add(page.path);
      } else {
        others.push(page);
      }
    }
    index++;
  }
  for (const page of others) {
    page.path = page.path === "" || taken.has(page.path) ? literalPath(page.file) : page.path;
    taken.add(page.path);
  }
  return found;
}
