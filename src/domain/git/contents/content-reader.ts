import { parseConfig } from "../../../git/objects/parse-config.ts";
import { JoinedWork } from "../../../lib/joined-work.ts";
import { Turns } from "../../../lib/turns.ts";
import type { GitEngine } from "../../../git/engine.ts";
import type { TreeItem } from "../../../git/tree/tree-item.ts";
import type { ListPathsResult } from "../../../git/operations/list-paths.ts";
import type { ListTreeResult } from "../../../git/operations/list-tree.ts";
import type { LastCommit } from "../../../git/operations/known-last-commits.ts";
import type { RepositoryView } from "../../../git/job/repository-view.ts";
import { ByteCache } from "../../../lib/byte-cache.ts";
import { StithyError } from "../../../lib/errors.ts";
import { currentPrincipal } from "../../../lib/request-context.ts";
import { clip } from "../../../lib/show-value.ts";

/** An entry at a path, with all details. */
export interface ContentEntry extends TreeItem {
  /** The commit that last changed it. */
  lastCommit: LastCommit | null;
  /** Where a symbolic link leads; null for everything else. */
  target: string | null;
  /** Where a submodule is cloned from, as .gitmodules says; null for everything else, and when it says nothing. */
  submoduleUrl: string | null;
}

interface FileContents {
  kind: "file";
  entry: ContentEntry;
  bytes: Uint8Array | null;
}

export type Contents = { kind: "directory"; entries: ContentEntry[] } | FileContents;

/** A file or link with its content, where that is small. */
export interface FoundFile extends TreeItem {
  /** null when it is larger than `smallFileBytes`, and for trees and submodules. */
  bytes: Uint8Array | null;
}

/** Files up to this size are kept in this thread. */
const smallFileBytes = 128 * 1024;
/** A larger file is described, but its content is not in the description. */
export const largestInlineFile = 10 * 1024 * 1024;
/** Larger directories have to be read page by page, as trees. */
export const largestDirectory = 10_000;

/** A directory has more entries than are listed at once. */
class DirectoryTooLarge extends StithyError {
  constructor(path: string, entries: number) {
    super(
      "too-large",
      "directory-too-large",
      `The directory "${clip(path, 200)}" has ${entries} entries; more than ${largestDirectory} are only listed page by page, with git/trees`,
      { entries },
    );
  }
}

interface Asked {
  signal: AbortSignal | undefined;
  lastCommits: boolean;
}

const none: ReadonlyMap<string, string> = new Map();

/** The paths of all files of a commit. */
export interface PathList {
  readonly paths: readonly string[];
  /** Whether the commit has more files. */
  readonly truncated: boolean;
}

/** The most paths of a commit that are listed at once. */
const mostPaths = 100_000;
const pathCacheBytes = 8 * 1024 * 1024;
const fileCacheBytes = 8 * 1024 * 1024;
const directoryCacheBytes = 4 * 1024 * 1024;

/**
 * Files and directories of commits, kept in this thread under the commit's oid and the path, which never come to mean
 * anything else. Callers have made sure that the repository's refs reach the commit.
 */
export class ContentReader {
  private readonly files = new ByteCache<FoundFile>(fileCacheBytes);
  private readonly directories = new ByteCache<ContentEntry[]>(directoryCacheBytes);
  private readonly directoriesInMaking = new JoinedWork<ContentEntry[] | null>();
  private readonly pathLists = new ByteCache<ListPathsResult>(pathCacheBytes);
  private readonly pages = new ByteCache<ListTreeResult>(directoryCacheBytes);
  private readonly lastCommits = new ByteCache<LastCommit | null>(directoryCacheBytes);

  constructor(private readonly git: GitEngine) {}

  /** A part of a directory of a commit, each entry with the commit that last changed it; null if there is no directory at the path. */
  async pageOfDirectory(
    view: RepositoryView,
    part: { commit: string; path: string; skip: number; limit: number },
    signal: AbortSignal,
  ): Promise<ListTreeResult | null> {
    const key = JSON.stringify(part);
    const known = this.pages.get(key);
    if (known !== undefined) {
      return known;
    }
    const listed = await this.git.call(view, "listTree", { ...part, recursive: false, lastCommits: true }, signal);
    if (listed !== null) {
      const bytes = listed.entries.reduce((sum, { path }) => sum + 400 + 4 * path.length, 200);
      this.pages.set(key, listed, bytes);
    }
    return listed;
  }

  /** The paths of the files of a commit, in the order of its tree. */
  async listPaths(view: RepositoryView, commit: string, signal: AbortSignal): Promise<PathList> {
    const known = this.pathLists.get(commit);
    const list = known ?? (await this.git.call(view, "listPaths", { commit, limit: mostPaths }, signal));
    if (known === undefined) {
      this.pathLists.set(commit, list, 100 + 2 * list.paths.length);
    }
    return { paths: list.paths.split("\0").slice(0, -1), truncated: list.truncated };
  }

  /** Returns the entry at a path of a commit, with its content if it is small; null if there is none. */
  async findFile(view: RepositoryView, commit: string, path: string): Promise<FoundFile | null> {
    const key = `${commit}:${path}`;
    const known = this.files.get(key);
    if (known !== undefined) {
      return known;
    }
    const found = await this.git.call(view, "readPath", { commit, path, maxBytes: smallFileBytes });
    if (found !== null) {
      this.files.set(key, found, 300 + 4 * path.length + (found.bytes?.length ?? 0));
    }
    return found;
  }

  /**
   * A file or a whole directory as the API describes it; null for nothing. With `lastCommits` set to false, nobody looks
   * for the commits that last changed them. Throws DirectoryTooLarge (code "directory-too-large").
   */
  async find(
    view: RepositoryView,
    commit: string,
    path: string,
    { signal, lastCommits = true }: { signal?: AbortSignal; lastCommits?: boolean } = {},
  ): Promise<Contents | null> {
    const item = path === "" ? null : await this.findFile(view, commit, path);
    if (item === null && path !== "") {
      return null;
    }
    if (item !== null && item.type !== "tree") {
      const last = lastCommits ? await this.findLastCommit(view, commit, item.path, signal) : null;
      return this.describeFile(view, commit, item, last, signal);
    }
    const entries = await this.listDirectory(view, commit, item?.path ?? "", { signal, lastCommits });
    return entries === null ? null : { kind: "directory", entries };
  }

  /** Files as `find` describes them, in the order of their paths; null for what is no file. The history is walked once for all. */
  async *findFiles(
    view: RepositoryView,
    commit: string,
    paths: readonly string[],
    signal?: AbortSignal,
  ): AsyncGenerator<FileContents | null, void> {
    const items: (FoundFile | null)[] = [];
    for (const path of paths) {
      const item = path === "" ? null : await this.findFile(view, commit, path);
      items.push(item?.type === "tree" ? null : item);
    }
    const found = items.flatMap((item) => item?.path ?? []);
    const last = found.length === 0 ? null : await this.learnLastCommits(view, commit, found, signal);
    for (const item of items) {
      yield item === null ? null : await this.describeFile(view, commit, item, last?.get(item.path) ?? null, signal);
    }
  }

  private async describeFile(
    view: RepositoryView,
    commit: string,
    item: FoundFile,
    last: LastCommit | null,
    signal?: AbortSignal,
  ): Promise<FileContents> {
    const { bytes: small, ...plain } = item;
    const large =
      small === null && item.type === "blob"
        ? await this.git.call(view, "readObject", { oid: item.oid, maxBytes: largestInlineFile }, signal)
        : null;
    const bytes = small ?? large?.bytes ?? null;
    return {
      kind: "file",
      entry: await this.complete(
        view,
        commit,
        plain,
        last,
        item.type === "submodule" ? await this.submoduleUrls(view, commit) : none,
      ),
      bytes,
    };
  }

  /** The commit that last changed what stands at a path, as that commit's history has it; null for nothing. */
  async findLastCommit(
    view: RepositoryView,
    commit: string,
    path: string,
    signal?: AbortSignal,
  ): Promise<LastCommit | null> {
    const known = this.lastCommits.get(`${commit}:${path}`);
    return known === undefined
      ? ((await this.learnLastCommits(view, commit, [path], signal)).get(path) ?? null)
      : known;
  }

  /** Looks for the commits that last changed files, in one walk of the history, and keeps them. */
  private async learnLastCommits(
    view: RepositoryView,
    commit: string,
    paths: readonly string[],
    signal?: AbortSignal,
  ): Promise<Map<string, LastCommit | null>> {
    const found = await this.git.call(view, "lastCommits", { commit, paths }, signal);
    const byPath = new Map(paths.map((path, index) => [path, found[index] ?? null]));
    for (const [path, last] of byPath) {
      this.lastCommits.set(`${commit}:${path}`, last, 150 + 2 * path.length);
    }
    return byPath;
  }

  private async listDirectory(
    view: RepositoryView,
    commit: string,
    path: string,
    { signal, lastCommits }: Asked,
  ): Promise<ContentEntry[] | null> {
    const key = `${lastCommits ? "" : "plain:"}${commit}:${path}`;
    const known = this.directories.get(key);
    const read = (left: AbortSignal) => this.readDirectory(view, commit, path, { key, signal: left, lastCommits });
    // Each principal waits in its own turn: a queue that is full for one is not full for others.
    return known ?? this.directoriesInMaking.do(`${currentPrincipal()} ${key}`, read, signal);
  }

  private async readDirectory(
    view: RepositoryView,
    commit: string,
    path: string,
    { key, signal, lastCommits }: Asked & { key: string },
  ): Promise<ContentEntry[] | null> {
    const listed = await this.git.call(
      view,
      "listTree",
      { commit, path, recursive: false, lastCommits, skip: 0, limit: largestDirectory, most: largestDirectory },
      signal,
    );
    if (listed === null) {
      return null;
    }
    if (listed.total > largestDirectory) {
      throw new DirectoryTooLarge(path, listed.total);
    }
    const modules = listed.entries.some(({ type }) => type === "submodule")
      ? await this.submoduleUrls(view, commit)
      : none;
    const entries: ContentEntry[] = [];
    const turns = new Turns();
    for (const { lastCommit, ...item } of listed.entries) {
      entries.push(await this.complete(view, commit, item, lastCommit, modules));
      if (turns.over) {
        await turns.pass();
      }
    }
    this.directories.set(
      key,
      entries,
      entries.reduce((bytes, entry) => bytes + 400 + 4 * entry.path.length, 64),
    );
    return entries;
  }

  private async complete(
    view: RepositoryView,
    commit: string,
    item: TreeItem,
    lastCommit: LastCommit | null,
    modules: ReadonlyMap<string, string>,
  ): Promise<ContentEntry> {
    const target = item.type === "symlink" ? await this.readLink(view, commit, item.path) : null;
    const submoduleUrl = item.type === "submodule" ? (modules.get(item.path) ?? null) : null;
    return { ...item, lastCommit, target, submoduleUrl };
  }

  private async readLink(view: RepositoryView, commit: string, path: string): Promise<string | null> {
    const link = await this.findFile(view, commit, path);
    return link?.bytes == null ? null : Buffer.from(link.bytes).toString("utf8");
  }

  /** Where submodules are cloned from, by their paths, as .gitmodules says: the first that is said of each. */
  private async submoduleUrls(view: RepositoryView, commit: string): Promise<Map<string, string>> {
    const file = await this.findFile(view, commit, ".gitmodules");
    const settings =
      file?.type === "blob" && file.bytes !== null ? (parseConfig(Buffer.from(file.bytes).toString("utf8")) ?? []) : [];
    const modules = settings.flatMap(({ section, name, value, subsection }) =>
      section === "submodule" && value !== null ? [{ name, value, subsection }] : [],
    );
    const urls = new Map<string | null, string>();
    for (const { subsection, name, value } of modules) {
      if (name === "url" && !urls.has(subsection)) {
        urls.set(subsection, value);
      }
    }
    const byPath = new Map<string, string>();
    for (const { subsection, name, value: path } of modules) {
      const url = urls.get(subsection);
      if (name === "path" && !byPath.has(path) && url !== undefined) {
        byPath.set(path, url);
      }
    }
    return byPath;
  }
}
