import type { CommitGraph } from "../graph/commit-graph.ts";
import type { Steps } from "../job/job.ts";
import { commitPosition } from "./commit-position.ts";
import type { OpenRepository } from "./open-repository.ts";

export interface ContainingTipsArgs {
  /** hexadecimal oid of a commit */
  readonly commit: string;
  /** hexadecimal oids of commits, or of tags that end at commits */
  readonly tips: readonly string[];
  /** commits that are looked at; what is not known by then counts as not containing it */
  readonly most: number;
}

/** Which tips reach a commit, or are it. All of them share one walk. Throws MissingObject, CorruptObject, CorruptPack. */
export function* containingTips(repository: OpenRepository, args: ContainingTipsArgs): Steps<readonly boolean[]> {
  const target = commitPosition(repository, args.commit);
  const known = new Map<number, boolean>([[target, true]]);
  const found: boolean[] = [];
  for (const tip of args.tips) {
    found.push(yield* reaches(repository.graph, commitPosition(repository, tip), known, args.most));
  }
  return found;
}

function* reaches(graph: CommitGraph, tip: number, known: Map<number, boolean>, most: number): Steps<boolean> {
  const stack = [tip];
  for (let at = stack.at(-1); at !== undefined; at = stack.at(-1)) {
    if (known.has(at) || known.size > most) {
      stack.pop();
      continue;
    }
    let unknown: number | null = null;
    let isFound = false;
    for (let index = 0; index < graph.parentCount(at) && !isFound; index++) {
      const parent = graph.parentAt(at, index);
      isFound = known.get(parent) === true;
      unknown ??= known.has(parent) ? null : parent;
    }
    if (!isFound && unknown !== null) {
      stack.push(unknown);
      continue;
    }
    known.set(at, isFound);
    stack.pop();
    if ((known.size & 0xff) === 0) {
      yield;
    }
  }
  return known.get(tip) ?? false;
}
