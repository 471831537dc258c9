import { findMergeBases, findOctopusBases, independentCommits } from "../graph/merge-bases.ts";
import { commitPosition } from "./commit-position.ts";
import type { Steps } from "../job/job.ts";
import type { OpenRepository } from "./open-repository.ts";

export interface MergeBasesArgs {
  /** hexadecimal oids of commits, or of tags that end at commits; at least one */
  readonly commits: readonly string[];
  /**
   * "all": best common ancestors of the first commit and of a merge of the others, the latest first;
   * "octopus": best common ancestors of all; "independent": those of the commits that no other one reaches
   */
  readonly mode: "all" | "octopus" | "independent";
}

/** Hexadecimal oids; none when the histories have nothing in common. Throws MissingObject, CorruptObject, CorruptPack. */
export function* mergeBases(repository: OpenRepository, args: MergeBasesArgs): Steps<readonly string[]> {
  const { odb, generations } = repository;
  const commits = args.commits.map((oid) => commitPosition(repository, oid));
  const [first, ...others] = commits;
  if (first === undefined) {
    return [];
  }
  const found = yield* args.mode === "octopus"
    ? findOctopusBases(generations, commits)
    : args.mode === "independent"
      ? independentCommits(generations, commits)
      : findMergeBases(generations, first, others.length === 0 ? [first] : others);
  return found.map((position) => odb.hexAt(position));
}
