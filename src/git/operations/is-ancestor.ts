import { isAncestor as isAncestorOf } from "../graph/merge-bases.ts";
import { commitPosition } from "./commit-position.ts";
import type { Steps } from "../job/job.ts";
import type { OpenRepository } from "./open-repository.ts";

/** Hexadecimal oids of commits, or of tags that end at commits. */
export interface IsAncestorArgs {
  readonly ancestor: string;
  readonly descendant: string;
}

/** Whether one commit reaches the other, or is it: the test of a fast-forward. Throws MissingObject, CorruptObject, CorruptPack. */
export function* isAncestor(repository: OpenRepository, args: IsAncestorArgs): Steps<boolean> {
  const ancestor = commitPosition(repository, args.ancestor);
  return yield* isAncestorOf(repository.generations, ancestor, commitPosition(repository, args.descendant));
}
