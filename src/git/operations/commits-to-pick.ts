import type { FilePair } from "../diff/file-pair.ts";
import { readCommitRecord, type CommitRecord } from "../log/commit-record.ts";
import { listCommits } from "../log/list-commits.ts";
import { changedPairs, changesKey, pathsKey } from "../merge/change-key.ts";
import type { Steps } from "../job/job.ts";
import { commitPosition } from "./commit-position.ts";
import type { OpenRepository } from "./open-repository.ts";

/** Hexadecimal oids of commits. */
export interface CommitsToPickArgs {
  readonly onto: string;
  readonly head: string;
}

/** Commits of the other side that are looked through for changes that were picked already. */
const mostOthers = 5000;

/**
 * The commits that `git rebase onto head` picks, in its order: those that only `head` reaches, without merges, and without
 * those whose change the other side has, too (git-rebase(1), `--cherry-pick` of git-rev-list(1)). Where the other side has
 * more than 5,000 commits, the latter are left to the picking, which makes nothing of most of them.
 * Throws MissingObject, CorruptObject, CorruptPack.
 */
export function* commitsToPick(repository: OpenRepository, args: CommitsToPickArgs): Steps<readonly CommitRecord[]> {
  const onto = commitPosition(repository, args.onto);
  const head = commitPosition(repository, args.head);
  const own = yield* only(repository, head, onto);
  const others = own.length === 0 ? [] : yield* only(repository, onto, head);
  const picked = others.length > mostOthers ? new Set<number>() : yield* pickedAlready(repository, own, others);
  return own
    .filter((position) => !picked.has(position))
    .toReversed()
    .map((position) => readCommitRecord(repository.odb, position, "whole"));
}

/** Commits without merges that one tip reaches and the other does not, the latest first. */
function* only({ graph }: OpenRepository, tip: number, not: number): Steps<number[]> {
  const selection = { tips: [tip], not: [not], paths: [], order: "topological" } as const;
  const listed = yield* listCommits(graph, selection);
  return listed.filter((position) => graph.parentCount(position) < 2);
}

function* pickedAlready(
  { graph }: OpenRepository,
  own: readonly number[],
  others: readonly number[],
): Steps<Set<number>> {
  /** what several commits change alike, by the files that it is in */
  const alike = new Map<string, { own: [number, readonly FilePair[]][]; others: (readonly FilePair[])[] }>();
  for (const position of others.length === 0 ? [] : own) {
    const pairs = yield* changedPairs(graph, position);
    if (pairs !== null) {
      const key = pathsKey(pairs);
      const group = alike.get(key) ?? { own: [], others: [] };
      group.own.push([position, pairs]);
      alike.set(key, group);
    }
  }
  for (const position of others) {
    const pairs = yield* changedPairs(graph, position);
    if (pairs !== null) {
      alike.get(pathsKey(pairs))?.others.push(pairs);
    }
  }
  const picked = new Set<number>();
  for (const group of alike.values()) {
    const keys = new Set<string | null>();
    for (const pairs of group.others) {
      keys.add(yield* changesKey(graph, pairs));
    }
    for (const [position, pairs] of keys.size === 0 ? [] : group.own) {
      const key = yield* changesKey(graph, pairs);
      if (key !== null && keys.has(key)) {
        picked.add(position);
      }
    }
  }
  return picked;
}
