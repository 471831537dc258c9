import { findCheckedFile } from "../objects/checked-files.ts";
import { ObjectType } from "../objects/object-type.ts";
import { FileMode, parseTree, writeTree } from "../objects/tree.ts";
import type { ConflictKind } from "./merge-path.ts";
import type { MergeConflict, MergedTree } from "./merge-trees.ts";
import type { ObjectOverlay } from "./object-overlay.ts";

/** What somebody made of a file with a conflict. */
export interface Resolution {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** Conflicts that are of the lines of a file alone: it has one place, and both sides have it. */
const ofLines: ReadonlySet<ConflictKind> = new Set(["content", "add/add"]);

const isFile = ({ mode }: { readonly mode: number }): boolean => mode === FileMode.file || mode === FileMode.executable;

/**
 * Whether a text can take the place of a file with a conflict: its mode and its place are not in doubt, and git clients take any text at its
 * name.
 */
export function isOfLines({ path, kinds, stages }: MergeConflict): boolean {
  if (findCheckedFile(path.slice(path.lastIndexOf("/") + 1)) !== null) {
    return false;
  }
  return kinds.length > 0 && kinds.every((kind) => ofLines.has(kind)) && stages.every(isFile);
}

/** Puts texts in the place of the files that have conflicts. Returns the oid of the tree; null where that leaves a conflict. */
export function resolveConflicts(
  objects: ObjectOverlay,
  { tree, clean, conflicts }: MergedTree,
  resolutions: readonly Resolution[],
): string | null {
  const byPath = new Map(resolutions.map(({ path, bytes }) => [path, bytes]));
  if (clean || conflicts.length === 0 || !conflicts.every((one) => isOfLines(one) && byPath.has(one.path))) {
    return null;
  }
  return conflicts.reduce<string | null>((root, { path }) => {
    const oid = objects.add(ObjectType.blob, byPath.get(path)!);
    return root === null ? null : replaceFile(objects, root, path.split("/"), oid);
  }, tree);
}

/** A tree with another blob in the place of a file; null where no file is there. */
function replaceFile(
  objects: ObjectOverlay,
  tree: string,
  [name, ...rest]: readonly string[],
  oid: string,
): string | null {
  const { format } = objects.db;
  const entries = [...parseTree(objects.content(tree, ObjectType.tree), format)];
  const at = entries.findIndex((entry) => entry.rawName === undefined && entry.name === name);
  const entry = entries[at];
  const isDirectory = entry?.mode === FileMode.tree;
  if (entry === undefined || isDirectory !== rest.length > 0) {
    return null;
  }
  const below = isDirectory ? replaceFile(objects, entry.oid, rest, oid) : oid;
  if (below === null) {
    return null;
  }
  entries[at] = { ...entry, oid: below };
  return objects.add(ObjectType.tree, writeTree(entries, format));
}
