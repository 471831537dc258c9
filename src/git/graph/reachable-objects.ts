import { Bitset } from "./bitset.ts";
import type { CommitGraph } from "./commit-graph.ts";
import { peel } from "./peel.ts";
import { TreeMarker } from "./tree-marker.ts";
import { ObjectType } from "../objects/object-type.ts";

/**
 * Everything that a set of refs reaches, found out as far as questions need it: commits all at once, since that is
 * cheap, then trees and files commit by commit until the one in question turns up.
 */
export class ReachableObjects {
  readonly #seen: Bitset;
  /** commits whose own history is not walked yet */
  readonly #commits: number[] = [];
  /** commits whose tree is not walked yet, in the order of the walk */
  readonly #treeless: number[] = [];
  #walkedTrees = 0;

  /** tips: positions of any objects. Throws MissingObject, CorruptObject, CorruptPack, as does `contains`. */
  constructor(
    private readonly graph: CommitGraph,
    tips: readonly number[],
  ) {
    this.#seen = new Bitset(graph.db.size);
    for (const tip of tips) {
      const end = peel(graph.db, tip, (tag) => this.#seen.add(tag));
      if (end.type === ObjectType.commit) {
        this.#commits.push(end.position);
      } else if (end.type === ObjectType.tree) {
        new TreeMarker(graph.db, this.#seen).mark(end.position);
      } else {
        this.#seen.add(end.position);
      }
    }
  }

  /** Yields now and then; several questions may be under way at once. */
  *contains(position: number): Generator<void, boolean> {
    while (!this.#seen.has(position) && this.#walkCommits()) {
      yield;
    }
    const type = this.graph.db.typeAt(position);
    if (type === ObjectType.tree || type === ObjectType.blob) {
      // Made anew for each question: it keeps trees to compare with, which is too much to hold on to.
      const marker = new TreeMarker(this.graph.db, this.#seen);
      while (!this.#seen.has(position) && this.#walkTree(marker)) {
        yield;
      }
    }
    return this.#seen.has(position);
  }

  /** Walks some commits; false when there were none left. */
  #walkCommits(): boolean {
    if (this.#commits.length === 0) {
      return false;
    }
    for (let budget = 256; budget > 0; budget--) {
      const commit = this.#commits.pop();
      if (commit === undefined) {
        break;
      }
      if (!this.#seen.has(commit)) {
        // Loaded first: a commit that cannot be read must not count as walked.
        const parents = this.graph.parentCount(commit);
        this.#seen.add(commit);
        this.#treeless.push(commit);
        for (let index = 0; index < parents; index++) {
          this.#commits.push(this.graph.parentAt(commit, index));
        }
      }
    }
    return true;
  }

  #walkTree(marker: TreeMarker): boolean {
    const commit = this.#treeless[this.#walkedTrees];
    if (commit === undefined) {
      return false;
    }
    marker.mark(this.graph.treeOf(commit));
    this.#walkedTrees++;
    return true;
  }
}
