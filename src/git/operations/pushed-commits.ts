import type { CommitRecord } from "../log/commit-record.ts";
import { ObjectType } from "../objects/object-type.ts";
import type { Steps } from "../job/job.ts";
import { isReachable } from "./is-reachable.ts";
import { log } from "./log.ts";
import type { OpenRepository } from "./open-repository.ts";

/** A branch that was moved; oids of commits, hexadecimal. */
export interface MovedBranch {
  /** null: the branch was new */
  readonly old: string | null;
  readonly new: string;
}

export interface PushedCommitsArgs {
  readonly moves: readonly MovedBranch[];
  /** hexadecimal oids of all refs, not peeled: commits that they do not reach are told nobody */
  readonly tips: readonly string[];
  /** the commit of the default branch, which a new branch is compared with; null when there is none */
  readonly base: string | null;
  /** commits of one move */
  readonly limit: number;
  /** false: how many there are beyond them is not counted */
  readonly count?: false;
}

/** The first commits that a move brought, the newest first, and how many it brought. */
export interface PushedCommitsResult {
  readonly commits: readonly CommitRecord[];
  readonly total: number;
}

/**
 * Returns the commits of several moves, in one job; nothing for commits that are gone since. Throws MissingObject,
 * CorruptObject, CorruptPack.
 */
export function* pushedCommits(repository: OpenRepository, args: PushedCommitsArgs): Steps<PushedCommitsResult[]> {
  const { tips, limit } = args;
  const { odb } = repository;
  function* isShown(oid: string): Steps<boolean> {
    const position = odb.findHex(oid);
    return (
      position >= 0 && odb.typeAt(position) === ObjectType.commit && (yield* isReachable(repository, { oid, tips }))
    );
  }
  const results: PushedCommitsResult[] = [];
  for (const move of args.moves) {
    const before = move.old ?? args.base;
    if (!(yield* isShown(move.new))) {
      results.push({ commits: [], total: 0 });
      continue;
    }
    const not = before !== null && before !== move.new && (yield* isShown(before)) ? [before] : [];
    const selection = {
      tips: [move.new],
      not,
      paths: [],
      skip: 0,
      limit,
      count: args.count ?? true,
      files: false,
      stats: false,
    };
    const { commits, total } = yield* log(repository, selection);
    results.push({ commits, total: total ?? commits.length });
  }
  return results;
}
