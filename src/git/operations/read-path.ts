import { findPath } from "../tree/find-path.ts";
import type { TreeItem } from "../tree/tree-item.ts";
import { Transferred } from "../job/job.ts";
import type { OpenRepository } from "./open-repository.ts";

export interface ReadPathArgs {
  /** hexadecimal oid of a commit or tree */
  readonly commit: string;
  readonly path: string;
  /** the content of a larger file is not read; 0 for none at all */
  readonly maxBytes: number;
}

export interface ReadPathResult extends TreeItem {
  /** of a file or symbolic link of at most `maxBytes`, else null */
  readonly bytes: Uint8Array<ArrayBuffer> | null;
}

/** Reads the entry at a path. Returns null if there is none. Throws MissingObject, CorruptObject, CorruptPack. */
export function readPath(repository: OpenRepository, args: ReadPathArgs): Transferred<ReadPathResult> | null {
  const { odb } = repository;
  const item = findPath(odb, args.commit, args.path);
  if (item === null) {
    return null;
  }
  const bytes =
    item.size === null || item.size > args.maxBytes ? null : odb.readChecked(odb.findHex(item.oid)).bytes.slice();
  return new Transferred({ ...item, bytes }, bytes === null ? [] : [bytes.buffer]);
}
