import { listCommits } from "../log/list-commits.ts";
import { parseCommit } from "../objects/commit.ts";
import type { Steps } from "../job/job.ts";
import { commitPosition } from "./commit-position.ts";
import type { OpenRepository } from "./open-repository.ts";

export interface ContributionsArgs {
  /** hexadecimal oid of a commit */
  readonly tip: string;
  /** committer date in seconds; null: the whole history */
  readonly since: number | null;
  /** what commits are counted in, seconds: a day or a week since 1970 */
  readonly bucketSeconds: number;
  /** the latest commits that are looked at */
  readonly most: number;
  /** of this thread's time */
  readonly milliseconds: number;
  /** authors that are answered, those with the most commits */
  readonly authors: number;
}

/** Commits by bucket: its number since 1970, and how many. In the order of time. */
export type Buckets = readonly (readonly [bucket: number, commits: number])[];

export interface Contributor {
  readonly name: string;
  /** in lower case; commits are told apart by it */
  readonly email: string;
  readonly commits: number;
  readonly buckets: Buckets;
}

export interface ContributionsResult {
  readonly contributors: readonly Contributor[];
  /** all of them */
  readonly authors: number;
  /** without merges */
  readonly commits: number;
  readonly buckets: Buckets;
  /** false: there are older commits, which were not looked at */
  readonly isWhole: boolean;
}

interface Counted {
  readonly name: string;
  commits: number;
  readonly buckets: Map<number, number>;
}

/** Who made how many commits when, merges left out. Throws MissingObject, CorruptObject, CorruptPack. */
export function* contributions(repository: OpenRepository, args: ContributionsArgs): Steps<ContributionsResult> {
  const { graph } = repository;
  const { since, bucketSeconds, most, milliseconds } = args;
  const selection = { tips: [commitPosition(repository, args.tip)], not: [], paths: [] };
  const positions = yield* listCommits(graph, since === null ? selection : { ...selection, since }, most + 1);
  const all = new Map<number, number>();
  const byEmail = new Map<string, Counted>();
  let commits = 0;
  let looked = 0;
  let spent = 0;
  for (; looked < Math.min(most, positions.length) && spent < milliseconds; looked++) {
    const began = performance.now();
    const position = positions[looked]!;
    if (graph.parentCount(position) < 2) {
      const { author } = parseCommit(graph.db.read(position).bytes, graph.db.format);
      const email = author.email.toLowerCase();
      const bucket = Math.floor(graph.dateOf(position) / bucketSeconds);
      const counted = byEmail.get(email) ?? { name: author.name, commits: 0, buckets: new Map<number, number>() };
      byEmail.set(email, counted);
      counted.commits++;
      counted.buckets.set(bucket, (counted.buckets.get(bucket) ?? 0) + 1);
      all.set(bucket, (all.get(bucket) ?? 0) + 1);
      commits++;
    }
    spent += performance.now() - began;
    if ((looked & 0x1f) === 0) {
      yield;
    }
  }
  const sorted = [...byEmail].toSorted(([, one], [, other]) => other.commits - one.commits);
  return {
    contributors: sorted.slice(0, args.authors).map(([email, counted]) => ({
      name: counted.name,
      email,
      commits: counted.commits,
      buckets: inOrder(counted.buckets),
    })),
    authors: byEmail.size,
    commits,
    buckets: inOrder(all),
    isWhole: looked === positions.length,
  };
}

function inOrder(buckets: ReadonlyMap<number, number>): Buckets {
  return [...buckets].toSorted(([one], [other]) => one - other);
}
