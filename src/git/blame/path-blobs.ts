import type { CommitGraph } from "../graph/commit-graph.ts";
import { DirectoryHistory } from "../log/directory-history.ts";
import { ObjectType } from "../objects/object-type.ts";
import { bytesToHex } from "../objects/oid.ts";
import { MissingObject } from "../odb/object-database.ts";
import { pathComponents } from "../tree/path-components.ts";
import { TreeCursor } from "../tree/tree-cursor.ts";

const typeMask = 0o170000;
const submodule = 0o160000;

/** A file or link in some commit. */
export interface FileAt {
  /** position of the blob */
  readonly blob: number;
  /** the type bits of its mode: a link does not become a file */
  readonly type: number;
}

/** The file that stands at one path in each commit. */
export class PathBlobs {
  readonly #directory: DirectoryHistory;
  readonly #name: Uint8Array;
  /** tree that holds the file → the file at the path */
  readonly #files = new Map<number, FileAt | null>();

  /** path: not empty */
  constructor(
    private readonly graph: CommitGraph,
    path: string,
  ) {
    const names = pathComponents(path);
    this.#name = names.pop() ?? new Uint8Array(0);
    this.#directory = new DirectoryHistory(graph, names);
  }

  /**
   * Returns the file or link of the commit at the path; null if there is none. Throws MissingObject, CorruptObject,
   * CorruptPack.
   */
  fileAt(commit: number): FileAt | null {
    const tree = this.#directory.treeAt(commit);
    if (tree < 0) {
      return null;
    }
    let file = this.#files.get(tree);
    if (file === undefined) {
      file = this.#fileIn(tree);
      this.#files.set(tree, file);
    }
    return file;
  }

  #fileIn(tree: number): FileAt | null {
    const { type, bytes } = this.graph.db.read(tree);
    if (type !== ObjectType.tree) {
      return null;
    }
    const cursor = new TreeCursor(bytes, this.graph.db.format);
    if (!cursor.seek(this.#name) || cursor.isTree || (cursor.mode & typeMask) === submodule) {
      return null;
    }
    const blob = this.graph.db.find(cursor.bytes, cursor.oidAt);
    if (blob < 0) {
      throw new MissingObject(bytesToHex(cursor.oid()));
    }
    return { blob, type: cursor.mode & typeMask };
  }
}
