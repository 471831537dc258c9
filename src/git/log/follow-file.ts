import { detectRenames } from "../diff/detect-renames.ts";
import { diffTrees } from "../diff/tree-diff.ts";
import type { CommitGraph } from "../graph/commit-graph.ts";
import { PathHistory } from "./path-history.ts";

/** Says which commits changed a file, which has another name from the commit on that renamed it (or copied it). */
export class FileFollower {
  #history: PathHistory;

  constructor(
    private readonly graph: CommitGraph,
    private path: string,
    private readonly firstParent: boolean,
  ) {
    this.#history = new PathHistory(graph, path);
  }

  /**
   * Whether the next commit of a walk changed the file. Merges never did, as what they bring has its own commit; except
   * among first parents, where nothing else shows it.
   * Yields now and then. Throws MissingObject, CorruptObject, CorruptPack.
   */
  *changedBy(position: number): Generator<void, boolean> {
    const { graph } = this;
    const parents = graph.parentCount(position);
    if (parents > 1 && !this.firstParent) {
      return false;
    }
    const content = this.#history.contentAt(position);
    const before = parents === 0 ? 0 : this.#history.contentAt(graph.parentAt(position, 0));
    if (content === before) {
      return false;
    }
    if (before === 0 && parents > 0) {
      yield* this.#rename(position, graph.parentAt(position, 0));
    }
    return true;
  }

  *#rename(position: number, parent: number): Generator<void, void> {
    const { db } = this.graph;
    const treeOf = (commit: number): Uint8Array => db.oidAt(this.graph.treeOf(commit)).slice();
    const pairs = yield* detectRenames(db, diffTrees(db, treeOf(parent), treeOf(position), true), {
      copies: "all",
      onlyTo: this.path,
    });
    const pair = pairs.find(
      ({ status, after }) => (status === "renamed" || status === "copied") && after?.path === this.path,
    );
    if (pair !== undefined && pair.before !== null) {
      this.path = pair.before.path;
      this.#history = new PathHistory(this.graph, this.path);
    }
  }
}
