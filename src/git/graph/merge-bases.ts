import { GenerationQueue, type Generations } from "./generations.ts";

const fromOne = 1;
const fromOthers = 2;
const both = fromOne | fromOthers;
/** reached from a base, so no base itself */
const stale = 4;

/**
 * The best common ancestors of a commit and of a merge of `others`: those that are not reached from another one. As
 * `git merge-base --all`, in its order: the latest committer date first. A walk by generation, which ends when all that
 * is left lies behind a base. Yields now and then. Throws MissingObject, CorruptObject, CorruptPack.
 */
export function* findMergeBases(
  generations: Generations,
  one: number,
  others: readonly number[],
): Generator<void, number[]> {
  if (others.includes(one)) {
    return [one];
  }
  yield* generations.reckon([one, ...others]);
  const { graph } = generations;
  const flags = new Uint8Array(graph.size);
  const queue = new GenerationQueue(generations);
  /** queued commits that are not stale */
  let open = 0;
  const paint = (position: number, add: number): void => {
    const number = graph.numberOf(position);
    const before = flags[number]!;
    const after = before | add;
    flags[number] = after;
    if (before === 0) {
      queue.push(position);
      open += (after & stale) === 0 ? 1 : 0;
    } else if ((before & stale) === 0 && (after & stale) !== 0) {
      // Its children come first, so it has not left the queue yet.
      open--;
    }
  };
  paint(one, fromOne);
  for (const other of others) {
    paint(other, fromOthers);
  }
  const bases: number[] = [];
  for (let looked = 1; open > 0; looked++) {
    const position = queue.pop();
    let reached = flags[graph.numberOf(position)]!;
    if ((reached & stale) === 0) {
      open--;
      if (reached === both) {
        bases.push(position);
        reached |= stale;
      }
    }
    for (let index = 0; index < graph.parentCount(position); index++) {
      paint(graph.parentAt(position, index), reached);
    }
    if ((looked & 0xff) === 0) {
      yield;
    }
  }
  return bases.sort((left, right) => graph.dateOf(right) - graph.dateOf(left));
}

/**
 * The best common ancestors of all the commits, as `git merge-base --octopus --all` names them (in another order).
 * Yields now and then. Throws MissingObject, CorruptObject, CorruptPack.
 */
export function* findOctopusBases(generations: Generations, commits: readonly number[]): Generator<void, number[]> {
  let bases = commits.slice(0, 1);
  for (const commit of commits.slice(1)) {
    const next = new Set<number>();
    for (const base of bases) {
      for (const found of yield* findMergeBases(generations, commit, [base])) {
        next.add(found);
      }
    }
    bases = [...next];
  }
  return yield* independentCommits(generations, bases);
}

/**
 * Returns the commits that no other one of them reaches, each once, in the order given: `git merge-base --independent`.
 * Yields now and then. Throws MissingObject, CorruptObject, CorruptPack.
 */
export function* independentCommits(generations: Generations, commits: readonly number[]): Generator<void, number[]> {
  const candidates = [...new Set(commits)];
  if (candidates.length < 2) {
    return candidates;
  }
  yield* generations.reckon(candidates);
  const { graph } = generations;
  const oldest = Math.min(...candidates.map((position) => generations.of(position)));
  const reached = new Uint8Array(graph.size);
  const stack = [...candidates];
  let looked = 0;
  for (let position = stack.pop(); position !== undefined; position = stack.pop()) {
    for (let index = graph.parentCount(position) - 1; index >= 0; index--) {
      const parent = graph.parentAt(position, index);
      const number = graph.numberOf(parent);
      if (reached[number] === 0 && generations.of(parent) >= oldest) {
        reached[number] = 1;
        stack.push(parent);
      }
    }
    if ((++looked & 0xff) === 0) {
      yield;
    }
  }
  return candidates.filter((position) => reached[graph.numberOf(position)] === 0);
}

/**
 * Whether `descendant` reaches `ancestor` (or is it), so that moving a ref from there to it only adds history.
 * Yields now and then. Throws MissingObject, CorruptObject, CorruptPack.
 */
export function* isAncestor(generations: Generations, ancestor: number, descendant: number): Generator<void, boolean> {
  if (ancestor === descendant) {
    return true;
  }
  return !(yield* independentCommits(generations, [ancestor, descendant])).includes(ancestor);
}
