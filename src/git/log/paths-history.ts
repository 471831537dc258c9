import type { CommitGraph } from "../graph/commit-graph.ts";
import { PathHistory } from "./path-history.ts";

/**
 * Numbers the contents at some paths in each commit: equal numbers if all contents are equal, 0 if there is nothing at
 * any path.
 */
export class PathsHistory {
  readonly #paths: readonly PathHistory[];
  readonly #numbers = new Map<string, number>();

  /** paths: at least one, none empty */
  constructor(graph: CommitGraph, paths: readonly string[]) {
    this.#paths = paths.map((path) => new PathHistory(graph, path));
  }

  /** Throws MissingObject, CorruptObject, CorruptPack. */
  contentAt(commit: number): number {
    if (this.#paths.length === 1) {
      return this.#paths[0]!.contentAt(commit);
    }
    const contents = this.#paths.map((path) => path.contentAt(commit));
    if (contents.every((content) => content === 0)) {
      return 0;
    }
    const key = contents.join(" ");
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.#numbers.size + 1;
      this.#numbers.set(key, number);
    }
    return number;
  }
}
