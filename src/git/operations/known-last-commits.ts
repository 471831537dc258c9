import { findLastCommits, type LastCommitsByName, type WantedEntries } from "../log/last-commits.ts";
import type { Steps } from "../job/job.ts";
import type { OpenRepository } from "./open-repository.ts";

/** The commit that last changed something. */
export interface LastCommit {
  readonly oid: string;
  /** committer date, seconds */
  readonly seconds: number;
}

/** An answer for a commit; the same entries of a later commit are answered by a walk that ends here. */
interface KnownLastCommits {
  readonly commit: string;
  /** of the entries as Latin-1 of their bytes */
  readonly names: readonly string[];
  readonly commits: readonly (LastCommit | null)[];
}

/** Entries of a directory, and where answers for them are kept. */
interface AskedEntries extends Pick<WantedEntries, "path" | "names"> {
  readonly keys: readonly string[];
}

/** So many of the newest answers are kept: those of the branches that are looked at. */
const keptAnswers = 4;

/** Where the answers for a whole directory are kept. */
export function directoryKey(path: string): string {
  return `last-commits ${path}`;
}

/** Where the answers for one entry are kept. */
export function entryKey(path: string): string {
  return `last-commit ${path}`;
}

function findAnswers({ objectMemo }: OpenRepository, key: string): readonly KnownLastCommits[] {
  return objectMemo.find<readonly KnownLastCommits[]>(key) ?? [];
}

/** The answer for this commit; null where there is none. */
export function findKnownAnswer(repository: OpenRepository, key: string, commit: string): KnownLastCommits | null {
  return findAnswers(repository, key).find((answer) => answer.commit === commit) ?? null;
}

/** Keeps an answer, and the newest ones before it. */
export function keepAnswer(repository: OpenRepository, key: string, made: KnownLastCommits): void {
  const others = findAnswers(repository, key).filter(({ commit }) => commit !== made.commit);
  const kept = [made, ...others].slice(0, keptAnswers);
  const bytes = kept.reduce((sum, { names }) => names.reduce((all, name) => all + 150 + name.length, sum + 64), 0);
  repository.objectMemo.keep(key, kept, bytes);
}

/** Looks for the commits that last changed entries, by directory, in one walk that makes use of the answers kept. */
export function* findLastCommitsOf(
  repository: OpenRepository,
  commit: string,
  asked: readonly AskedEntries[],
): Steps<KnownLastCommits[]> {
  const { odb, graph } = repository;
  const wanted = asked.map(({ path, names, keys }) => ({ path, names, known: knownByPosition(repository, keys) }));
  const found = yield* findLastCommits(graph, odb.findHex(commit), wanted);
  return found.map(({ names, commits }) => ({
    commit,
    names,
    commits: Array.from(commits, (position) =>
      position < 0 ? null : { oid: odb.hexAt(position), seconds: graph.dateOf(position) },
    ),
  }));
}

function knownByPosition(repository: OpenRepository, keys: readonly string[]): Map<number, LastCommitsByName> {
  const { odb } = repository;
  const byPosition = new Map<number, Map<string, number>>();
  for (const { commit, names, commits } of keys.flatMap((key) => findAnswers(repository, key))) {
    const at = odb.findHex(commit);
    if (at >= 0) {
      const answers = byPosition.get(at) ?? new Map<string, number>();
      names.forEach((name, index) => answers.set(name, odb.findHex(commits[index]?.oid ?? "")));
      byPosition.set(at, answers);
    }
  }
  return byPosition;
}
