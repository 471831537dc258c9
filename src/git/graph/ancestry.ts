import { Bitset } from "./bitset.ts";
import type { CommitGraph } from "./commit-graph.ts";

/**
 * Commits and all that they reach: the whole of it, since dates that lie would make any shorter search inexact.
 * Yields now and then. Throws MissingObject, CorruptObject, CorruptPack.
 */
export function* ancestry(graph: CommitGraph, tips: readonly number[]): Generator<void, Bitset> {
  const reached = new Bitset(graph.db.size);
  const stack = [...tips];
  let looked = 0;
  for (let position = stack.pop(); position !== undefined; position = stack.pop()) {
    if (!reached.has(position)) {
      reached.add(position);
      for (let index = graph.parentCount(position) - 1; index >= 0; index--) {
        stack.push(graph.parentAt(position, index));
      }
      if ((++looked & 0xff) === 0) {
        yield;
      }
    }
  }
  return reached;
}
