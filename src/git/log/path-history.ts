import type { CommitGraph } from "../graph/commit-graph.ts";
import { fileMode } from "../tree/file-mode.ts";
import { ObjectType } from "../objects/object-type.ts";
import { pathComponents } from "../tree/path-components.ts";
import { TreeCursor } from "../tree/tree-cursor.ts";
import { DirectoryHistory } from "./directory-history.ts";

/** Numbers the content at one path in each commit: equal numbers for equal content and mode, 0 if there is nothing. */
export class PathHistory {
  readonly #directory: DirectoryHistory;
  readonly #name: Uint8Array;
  /** tree that holds the last component → its content's number */
  readonly #contents = new Map<number, number>();
  readonly #numbers = new Map<string, number>();

  /** path: not empty */
  constructor(
    private readonly graph: CommitGraph,
    path: string,
  ) {
    const names = pathComponents(path);
    this.#name = names.pop() ?? new Uint8Array(0);
    this.#directory = new DirectoryHistory(graph, names);
  }

  /** Throws MissingObject, CorruptObject, CorruptPack. */
  contentAt(commit: number): number {
    const tree = this.#directory.treeAt(commit);
    if (tree < 0) {
      return 0;
    }
    let content = this.#contents.get(tree);
    if (content === undefined) {
      content = this.#contentIn(tree);
      this.#contents.set(tree, content);
    }
    return content;
  }

  #contentIn(tree: number): number {
    const { type, bytes } = this.graph.db.read(tree);
    if (type !== ObjectType.tree) {
      return 0;
    }
    const cursor = new TreeCursor(bytes, this.graph.db.format);
    if (!cursor.seek(this.#name)) {
      return 0;
    }
    const key = `${fileMode(cursor.mode)} ${Buffer.from(cursor.oid()).toString("latin1")}`;
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.#numbers.size + 1;
      this.#numbers.set(key, number);
    }
    return number;
  }
}
