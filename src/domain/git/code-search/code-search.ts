import type { RepositoryRow } from "../../../auth/subject.ts";
import type { GitEngine } from "../../../git/engine.ts";
import type { FoundFile } from "../../../git/grep/file-search.ts";
import type { GrepResult } from "../../../git/grep/grep-tree.ts";
import { Busy, FairShare, type ShareLimits } from "../../../lib/fair-share.ts";
import { currentPrincipal } from "../../../lib/request-context.ts";
import { ByteCache } from "../../../lib/byte-cache.ts";
import type { Revision, Revisions } from "../refs/revisions.ts";

/** A text to search for, and its scope. */
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

/** Limits for the matches of one search; `milliseconds` are of a worker's time. */
const limits = { matches: 5000, matchesEach: 100, bytes: 1024 * 1024, milliseconds: 5000 };
/**
 * Searches at the same time, and those that wait for them. Nobody waits longer than `patienceMs`: with the time that a search takes in the worker, that is less
 * than a connection may be silent (`server.idle_timeout_seconds`), so that everybody gets an answer.
 */
const share: ShareLimits = { what: "searches", places: 4, placesEach: 2, waiting: 64, waitingEach: 16 };
const patienceMs = 20_000;
const cacheBytes = 16 * 1024 * 1024;
const nothing: GrepResult = { files: [], truncated: false, leftOut: 0 };

/**
 * Searches in the files of commits. A result is kept in this thread under the commit's oid and the query, which never come
 * to mean anything else, so that the pages of one search cost one search. What took its whole time is kept, too.
 */
export class CodeSearch {
  private readonly results = new ByteCache<GrepResult>(cacheBytes);
  private readonly share = new FairShare(share);

  constructor(
    private readonly git: Pick<GitEngine, "call">,
    private readonly revisions: Pick<Revisions, "get">,
    private readonly patience = patienceMs,
  ) {}

  /**
   * The files of a commit in which lines match, as far as the limits let it look. Throws NotFound for a revision that no
   * ref of the repository reaches, InvalidInput for a pattern or path that cannot be searched for in linear time, and Busy where there is no room to wait,
   * or no place in time.
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
    const result = known ?? (await this.inTurn(signal, () => this.git.call(revision.view, "grep", args, signal)));
    if (known === undefined) {
      this.results.set(
        key,
        result,
        result.files.reduce((bytes, file) => bytes + sizeOf(file), 64),
      );
    }
    return { ...result, revision };
  }

  private async inTurn(signal: AbortSignal, search: () => Promise<GrepResult>): Promise<GrepResult> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new Busy("server", share.what, this.share.held)), this.patience);
    let place: Disposable;
    try {
      place = await this.share.take(currentPrincipal(), AbortSignal.any([signal, late.signal]));
    } finally {
      clearTimeout(timer);
    }
    using _place = place;
    return await search();
  }
}

function sizeOf({ path, lines }: FoundFile): number {
  return lines.reduce(
    (bytes, { text, matches }) => bytes + 128 + 2 * text.length + 64 * matches.length,
    256 + 2 * path.length,
  );
}
