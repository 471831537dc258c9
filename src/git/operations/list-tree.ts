import { readTree } from "../tree/read-tree.ts";
import { hexToBytes } from "../objects/oid.ts";
import { findPath } from "../tree/find-path.ts";
import { TreeCursor } from "../tree/tree-cursor.ts";
import { treeItemAt, type TreeItem } from "../tree/tree-item.ts";
import type { Steps } from "../job/job.ts";
import { directoryKey, findKnownAnswer, findLastCommitsOf, keepAnswer, type LastCommit } from "./known-last-commits.ts";
import type { OpenRepository } from "./open-repository.ts";

export interface ListTreeArgs {
  /** hexadecimal oid of a commit or tree; of a commit when `lastCommits` is asked for */
  readonly commit: string;
  readonly path: string;
  /** all that is below, directories before what is in them, instead of the directory's own entries */
  readonly recursive: boolean;
  /** the commit that last changed each entry; not with `recursive` */
  readonly lastCommits: boolean;
  readonly skip: number;
  readonly limit: number;
  /** of a directory with more entries than this none is listed, and only their number is answered; not with `recursive` */
  readonly most?: number;
}

export interface ListTreeResult {
  /** hexadecimal oid of the directory's tree */
  readonly oid: string;
  readonly entries: readonly (TreeItem & { readonly lastCommit: LastCommit | null })[];
  /** how many entries there are without `skip` and `limit` */
  readonly total: number;
}

/** The entries of a directory; null when there is none at the path. Throws MissingObject, CorruptObject, CorruptPack. */
export function* listTree(repository: OpenRepository, args: ListTreeArgs): Steps<ListTreeResult | null> {
  const { odb } = repository;
  const directory = findPath(odb, args.commit, args.path);
  if (directory === null || directory.type !== "tree") {
    return null;
  }
  if (args.most !== undefined) {
    const total = countEntries(open(repository, directory.oid), args.most);
    if (total !== null) {
      return { oid: directory.oid, entries: [], total };
    }
  }
  const last = args.lastCommits && !args.recursive ? yield* lastCommits(repository, args) : null;
  const end = args.skip + args.limit;
  const entries: ListTreeResult["entries"][number][] = [];
  const stack = [
    { cursor: open(repository, directory.oid), prefix: directory.path === "" ? "" : `${directory.path}/` },
  ];
  let total = 0;
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const { cursor, prefix } = top;
    if (!cursor.valid) {
      stack.pop();
      continue;
    }
    const listed = total >= args.skip && total < end;
    if (listed || (args.recursive && cursor.isTree)) {
      const item = treeItemAt(odb, cursor, prefix);
      if (listed) {
        entries.push({ ...item, lastCommit: last?.[total] ?? null });
      }
      if (args.recursive && cursor.isTree) {
        stack.push({ cursor: open(repository, item.oid), prefix: `${item.path}/` });
      }
    }
    total++;
    cursor.next();
    if ((total & 0xff) === 0) {
      yield;
    }
  }
  return { oid: directory.oid, entries, total };
}

/** How many entries there are, if more than `most`; else null. */
function countEntries(cursor: TreeCursor, most: number): number | null {
  let total = 0;
  for (; cursor.valid; cursor.next()) {
    total++;
  }
  return total > most ? total : null;
}

function* lastCommits(repository: OpenRepository, args: ListTreeArgs): Steps<readonly (LastCommit | null)[]> {
  const { commit, path } = args;
  const known = findKnownAnswer(repository, directoryKey(path), commit);
  if (known !== null) {
    return known.commits;
  }
  const key = directoryKey(path);
  const [made] = yield* repository.once(`${key} ${commit}`, () =>
    findLastCommitsOf(repository, commit, [{ path, names: null, keys: [key] }]),
  );
  keepAnswer(repository, key, made!);
  return made!.commits;
}

function open(repository: OpenRepository, oid: string): TreeCursor {
  return new TreeCursor(readTree(repository.odb, hexToBytes(oid)), repository.format);
}
