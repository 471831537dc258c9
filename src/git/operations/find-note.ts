import { findNotePath } from "../notes/note-tree.ts";
import { findPath, rootTree } from "../tree/find-path.ts";
import type { OpenRepository } from "./open-repository.ts";

export interface FindNoteArgs {
  /** hexadecimal oid of the tip of a notes ref */
  readonly notes: string;
  /** hexadecimal oid of the annotated object */
  readonly target: string;
}

export interface FoundNote {
  /** in the tree of the notes */
  readonly path: string;
  /** hexadecimal oid of the blob that is the note */
  readonly oid: string;
}

/** The note of an object; null when it has none. Throws MissingObject, CorruptObject, CorruptPack. */
export function findNote({ odb }: OpenRepository, { notes, target }: FindNoteArgs): FoundNote | null {
  const tree = rootTree(odb, notes);
  const path = findNotePath(odb, tree, target);
  const item = path === null ? null : findPath(odb, tree, path);
  return item === null ? null : { path: item.path, oid: item.oid };
}
