import type { RepositoryRow } from "../../auth/subject.ts";
import type { GitEngine } from "../../git/engine.ts";
import type { FoundFile } from "../../git/grep/file-search.ts";
import type { GrepResult } from "../../git/grep/grep-tree.ts";
import { ByteCache } from "../../lib/byte-cache.ts";
import type { Revision, Revisions } from "../refs/revisions.ts";

/** What is searched for, and where. */
export interface CodeQuery {
  /** A text, or with `regex` a POSIX extended expression. */
  pattern: string;
  /** A branch, tag or commit; the default branch otherwise. */
  revision?: string | undefined;
  /** Files, directories and patterns of paths; none: all files. */
  paths: readonly string[];
  regex: boolean;
  ignoreCase: boolean;
  wholeWord: boolean;
  /** Lines to answer before and after each that matches. */
  context: number;
}

/** The whole result of a search; `revision` is null for a repository without a commit. */
export interface CodeFound extends GrepResult {
  revision: Revision | null;
}

/** What one search finds at most; `milliseconds` are of a worker's time. */
const limits = { matches: 5000, matchesEach: 100, bytes: 1024 * 1024, milliseconds: 5000 };
const cacheBytes = 16 * 1024 * 1024;
const nothing: GrepResult = { files: [], truncated: false, leftOut: 0 };

/**
 * Searches in the files of commits. A result is kept in this thread under the commit's oid and the query, which never come
 * to mean anything else, so that the pages of one search cost one search. What took its whole time is kept, too.
 */
export class CodeSearch {
  private readonly results = new ByteCache<GrepResult>(cacheBytes);

  constructor(
    private readonly git: GitEngine,
    private readonly revisions: Revisions,
  ) {}

  /**
   * The files of a commit in which lines match, as far as the limits let it look. Throws NotFound for a revision that no
   * ref of the repository reaches, and InvalidInput for a pattern or path that cannot be searched for in linear time.
   */
  async find(repository: RepositoryRow, query: CodeQuery, signal: AbortSignal): Promise<CodeFound> {
    const { revision: name, context, regex, ...options } = query;
    if (repository.empty && name === undefined) {
      return { ...nothing, revision: null };
    }
    const revision = await this.revisions.get(repository, name);
    const args = {
      ...options,
      treeish: revision.commit,
      kind: regex ? ("regular" as const) : ("fixed" as const),
      context: { before: context, after: context },
      limits,
    };
    const key = JSON.stringify(args);
    const known = this.results.get(key);
    const result = known ?? (await this.git.call(revision.view, "grep", args, signal));
    if (known === undefined) {
      this.results.set(
        key,
        result,
        result.files.reduce((bytes, file) => bytes + sizeOf(file), 64),
      );
    }
    return { ...result, revision };
  }
}

function sizeOf({ path, lines }: FoundFile): number {
  return lines.reduce(
    (bytes, { text, matches }) => bytes + 128 + 2 * text.length + 64 * matches.length,
    256 + 2 * path.length,
  );
}
