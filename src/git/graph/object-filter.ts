import { ObjectType } from "../objects/object-type.ts";
import type { SparsePatterns } from "./sparse-patterns.ts";

/**
 * Excludes objects from a partial clone: an object is kept if all of these conditions keep it. Objects that are wanted
 * by name are always kept, and so is the object that a wanted annotated tag ends at. Every combination of git's filters
 * has this form.
 */
export interface ObjectFilter {
  readonly types: readonly ObjectType[];
  /** blobs of so many bytes or more are left out */
  readonly blobLimit: number;
  /** trees and blobs so deep or deeper are left out: the tree of a commit has depth 0, its entries 1; those of a wanted tree 0 */
  readonly treeDepth: number;
  /** blobs have to match each of these at some path */
  readonly sparse: readonly SparsePatterns[];
}

/** Whether a tree's content depends on where it stands, so that it has to be looked at again at every place. */
export function dependsOnPlace(filter: ObjectFilter): boolean {
  return filter.sparse.length > 0 || Number.isFinite(filter.treeDepth);
}

export function keepsBlobs(filter: ObjectFilter): boolean {
  return filter.types.includes(ObjectType.blob) && filter.blobLimit > 0;
}

/** Whether one whose history was always filtered like this holds all trees of it, and asks for no blob in between. */
export function keepsAllTrees(filter: ObjectFilter): boolean {
  return filter.types.includes(ObjectType.tree) && !dependsOnPlace(filter);
}
