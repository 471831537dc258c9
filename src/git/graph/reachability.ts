import { Bitset } from "./bitset.ts";
import type { CommitGraph } from "./commit-graph.ts";
import { CommitQueue } from "./commit-queue.ts";

/** Whether moving a ref from the commit `from` to the commit `to` only adds history: whether `to` reaches `from`. */
export function isFastForward(graph: CommitGraph, from: number, to: number): boolean {
  const steps = findUnreachedCommits(graph, [to], [from]);
  let step = steps.next();
  while (step.done !== true) {
    step = steps.next();
  }
  return step.value.length === 0;
}

/**
 * Returns the commits `goals` that none of the commits `tips` reaches. It visits the newest commits first, as most
 * goals are recent. Visits each commit once, however many goals there are; yields now and then. With `oldest` (seconds)
 * it gives up at the first commit that is older: dates that lie can then make it name goals that are reached.
 */
export function* findUnreachedCommits(
  graph: CommitGraph,
  tips: readonly number[],
  goals: readonly number[],
  oldest = Number.NEGATIVE_INFINITY,
): Generator<undefined, number[]> {
  const seen = new Bitset(graph.db.size);
  const missing = new Set(goals);
  const queue = new CommitQueue(graph);
  const visit = (position: number): void => {
    if (!seen.has(position)) {
      seen.add(position);
      missing.delete(position);
      queue.push(position);
    }
  };
  tips.forEach(visit);
  for (let looked = 1; queue.length > 0 && missing.size > 0; looked++) {
    const position = queue.pop();
    if (graph.dateOf(position) < oldest) {
      break;
    }
    for (let index = graph.parentCount(position) - 1; index >= 0; index--) {
      visit(graph.parentAt(position, index));
    }
    if ((looked & 0xfff) === 0) {
      yield undefined;
    }
  }
  return goals.filter((goal) => missing.has(goal));
}

/**
 * Whether each of `tips` reaches one of `goals` without passing a commit older than `oldest` (seconds): dates that lie
 * can turn a yes into a no. It visits each commit once, however many tips there are.
 */
export function allReach(graph: CommitGraph, tips: readonly number[], goals: Bitset, oldest: number): boolean {
  const visited = new Bitset(graph.db.size);
  const reaching = goals.clone();
  return tips.every((tip) => reaches(graph, tip, reaching, visited, oldest));
}

/** Depth first, and a commit is judged when its parents are: `reaching` then holds it if it holds one of them. */
function reaches(graph: CommitGraph, tip: number, reaching: Bitset, visited: Bitset, oldest: number): boolean {
  const stack = [tip];
  while (stack.length > 0) {
    const position = stack.at(-1)!;
    if (reaching.has(position)) {
      stack.pop();
      continue;
    }
    const parents = graph.parentCount(position);
    if (!visited.has(position)) {
      visited.add(position);
      if (graph.dateOf(position) < oldest) {
        stack.pop();
        continue;
      }
      for (let index = parents - 1; index >= 0; index--) {
        if (!visited.has(graph.parentAt(position, index)) || reaching.has(graph.parentAt(position, index))) {
          stack.push(graph.parentAt(position, index));
        }
      }
      continue;
    }
    stack.pop();
    for (let index = 0; index < parents; index++) {
      if (reaching.has(graph.parentAt(position, index))) {
        reaching.add(position);
        break;
      }
    }
  }
  return reaching.has(tip);
}
