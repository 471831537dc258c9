import { hexToBytes } from "../objects/oid.ts";
import { findPath } from "../tree/find-path.ts";
import { readTree } from "../tree/read-tree.ts";
import { TreeCursor } from "../tree/tree-cursor.ts";
import type { Steps } from "../job/job.ts";
import type { OpenRepository } from "./open-repository.ts";

export interface ListPathsArgs {
  /** hexadecimal oid of a commit or tree */
  readonly commit: string;
  readonly limit: number;
}

export interface ListPathsResult {
  /** of files and links, each ended by a NUL: one text costs the thread that asks less than 100,000 */
  readonly paths: string;
  /** whether there are more than `limit` */
  readonly truncated: boolean;
}

const submodule = 0o160000;
const typeMask = 0o170000;

/** The paths of all files and links of a commit, in the order of the tree. Throws MissingObject, CorruptObject, CorruptPack. */
export function* listPaths({ odb, format }: OpenRepository, { commit, limit }: ListPathsArgs): Steps<ListPathsResult> {
  const root = findPath(odb, commit, "");
  const stack =
    root === null ? [] : [{ cursor: new TreeCursor(readTree(odb, hexToBytes(root.oid)), format), prefix: "" }];
  const found: string[] = [];
  for (let top = stack.at(-1), steps = 1; top !== undefined; top = stack.at(-1), steps++) {
    const { cursor, prefix } = top;
    if (!cursor.valid) {
      stack.pop();
      continue;
    }
    if (cursor.isTree) {
      const below = new TreeCursor(readTree(odb, cursor.bytes, cursor.oidAt), format);
      stack.push({ cursor: below, prefix: `${prefix}${cursor.name()}/` });
    } else if ((cursor.mode & typeMask) !== submodule) {
      if (found.length === limit) {
        return { paths: textOf(found), truncated: true };
      }
      found.push(prefix + cursor.name());
    }
    cursor.next();
    if ((steps & 0xff) === 0) {
      yield;
    }
  }
  return { paths: textOf(found), truncated: false };
}

function textOf(paths: readonly string[]): string {
  return paths.map((path) => `${path}\0`).join("");
}
