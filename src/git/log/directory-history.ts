import type { CommitGraph } from "../graph/commit-graph.ts";
import { ObjectType } from "../objects/object-type.ts";
import { TreeCursor } from "../tree/tree-cursor.ts";

/** The tree that stands at one path in each commit. */
export class DirectoryHistory {
  /** for each component: tree → the tree of that name in it, -1 for none */
  readonly #below: readonly Map<number, number>[];

  constructor(
    private readonly graph: CommitGraph,
    private readonly names: readonly Uint8Array[],
  ) {
    this.#below = names.map(() => new Map<number, number>());
  }

  /** Position of the tree, or -1 where there is none. Throws MissingObject, CorruptObject, CorruptPack. */
  treeAt(commit: number): number {
    let tree = this.graph.treeOf(commit);
    for (let depth = 0; depth < this.names.length && tree >= 0; depth++) {
      const known = this.#below[depth]!;
      let next = known.get(tree);
      if (next === undefined) {
        next = this.#treeIn(tree, this.names[depth]!);
        known.set(tree, next);
      }
      tree = next;
    }
    return tree;
  }

  #treeIn(tree: number, name: Uint8Array): number {
    const { type, bytes } = this.graph.db.read(tree);
    if (type !== ObjectType.tree) {
      return -1;
    }
    const cursor = new TreeCursor(bytes, this.graph.db.format);
    return cursor.seek(name) && cursor.isTree ? this.graph.db.find(cursor.bytes, cursor.oidAt) : -1;
  }
}
