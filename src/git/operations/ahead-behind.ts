import { countAheadBehind, type AheadBehind } from "../graph/ahead-behind.ts";
import { commitPosition } from "./commit-position.ts";
import type { Steps } from "../job/job.ts";
import type { OpenRepository } from "./open-repository.ts";

export interface AheadBehindArgs {
  /** hexadecimal oids of commits, or of tags that end at commits */
  readonly pairs: readonly { readonly base: string; readonly tip: string }[];
  /** commits that a walk looks at; left out, as many as it takes */
  readonly most?: number;
}

/** For each pair how many commits its tip is ahead of its base and behind it. Throws MissingObject, CorruptObject, CorruptPack. */
export function* aheadBehind(repository: OpenRepository, args: AheadBehindArgs): Steps<readonly AheadBehind[]> {
  const pairs = args.pairs.map(({ base, tip }) => ({
    base: commitPosition(repository, base),
    tip: commitPosition(repository, tip),
  }));
  return yield* countAheadBehind(repository.generations, pairs, args.most);
}
