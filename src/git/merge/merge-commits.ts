import { findMergeBases } from "../graph/merge-bases.ts";
import type { Generations } from "../graph/generations.ts";
import { MergeAttributes } from "./merge-attributes.ts";
import type { MergeLabels } from "./merge-state.ts";
import { mergeTrees, type MergedTree } from "./merge-trees.ts";
import type { ObjectOverlay } from "./object-overlay.ts";

/** A commit, or one that stands for several merged ones and has no object: its tree and where it comes from. */
interface VirtualCommit {
  readonly tree: string;
  /** positions of the commits it stands for */
  readonly commits: readonly number[];
}

/**
 * Merges two commits: their trees with the tree of their merge base; of several, which are merged with each other
 * first; without one, with the empty tree. As `git merge-tree --write-tree` does. Positions are those of the graph.
 * Yields now and then. Throws as `mergeTrees`.
 */
export function* mergeCommits(
  objects: ObjectOverlay,
  generations: Generations,
  ours: number,
  theirs: number,
  labels: Omit<MergeLabels, "base">,
): Generator<void, MergedTree> {
  const { graph } = generations;
  const merger = new CommitMerger(
    objects,
    generations,
    new MergeAttributes(objects, graph.db.hexAt(graph.treeOf(ours))),
  );
  return yield* merger.merge(merger.commit(ours), merger.commit(theirs), labels, 0);
}

class CommitMerger {
  constructor(
    private readonly objects: ObjectOverlay,
    private readonly generations: Generations,
    private readonly attributes: MergeAttributes,
  ) {}

  commit(position: number): VirtualCommit {
    const { graph } = this.generations;
    return { tree: graph.db.hexAt(graph.treeOf(position)), commits: [position] };
  }

  *merge(
    ours: VirtualCommit,
    theirs: VirtualCommit,
    labels: Omit<MergeLabels, "base">,
    depth: number,
  ): Generator<void, MergedTree> {
    const bases = yield* this.#bases(ours, theirs);
    // The oldest first, as git does: of criss-cross merges the order decides which side is whose.
    bases.reverse();
    const [first, ...others] = bases;
    let base = first === undefined ? null : this.commit(first);
    for (const position of others) {
      const next = this.commit(position);
      const temporary = { ours: "Temporary merge branch 1", theirs: "Temporary merge branch 2" };
      const merged: MergedTree = yield* this.merge(base!, next, temporary, depth + 1);
      base = { tree: merged.tree, commits: [...base!.commits, ...next.commits] };
    }
    const name =
      base === null
        ? "empty tree"
        : others.length > 0
          ? "merged common ancestors"
          : this.generations.graph.db.hexAt(first!).slice(0, 7);
    const trees = { base: base?.tree ?? null, ours: ours.tree, theirs: theirs.tree };
    return yield* mergeTrees(this.objects, trees, { ...labels, base: name }, { attributes: this.attributes, depth });
  }

  /** A virtual commit reaches all that its commits reach. */
  *#bases(ours: VirtualCommit, theirs: VirtualCommit): Generator<void, number[]> {
    if (ours.commits.length === 1) {
      return yield* findMergeBases(this.generations, ours.commits[0]!, theirs.commits);
    }
    return yield* findMergeBases(this.generations, theirs.commits[0]!, ours.commits);
  }
}
