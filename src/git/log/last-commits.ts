import { Bitset } from "../graph/bitset.ts";
import type { CommitGraph } from "../graph/commit-graph.ts";
import { ObjectType } from "../objects/object-type.ts";
import { fileMode } from "../tree/file-mode.ts";
import { pathComponents } from "../tree/path-components.ts";
import { TreeCursor } from "../tree/tree-cursor.ts";
import { DateOrderQueue } from "./date-order-queue.ts";
import { DirectoryHistory } from "./directory-history.ts";

/** For entries by their names as Latin-1 of their bytes, the commits that last changed them. */
export type LastCommitsByName = ReadonlyMap<string, number>;

export interface FoundLastCommits {
  /** by the entry's index; -1 for one that no commit changed (which a sound history does not have) */
  readonly commits: Int32Array;
  /** of the entries as Latin-1 of their bytes, by their index */
  readonly names: readonly string[];
}

/**
 * For each entry of a directory the commit that `git log -1 <commit> -- <entry>` names. All in one
 * walk: each commit hands to the parent that has the same content those entries that are still open, and an entry that
 * differs from all parents is done.
 * Where the walk comes to a commit whose answer is `known`, that answers for the entries that wait there: they have the
 * same content. Yields now and then. Throws MissingObject, CorruptObject, CorruptPack.
 */
export function* findLastCommits(
  graph: CommitGraph,
  start: number,
  path: string,
  known: ReadonlyMap<number, LastCommitsByName> = new Map(),
): Generator<void, FoundLastCommits> {
  const directory = new DirectoryHistory(graph, pathComponents(path));
  const tree = directory.treeAt(start);
  const names = tree < 0 ? new Map<string, number>() : entryNames(graph, tree);
  const keys = [...names.keys()];
  const found = new Int32Array(names.size).fill(-1);
  const queue = new DateOrderQueue(graph);
  /** entries that wait at a queued commit; each is at one commit only, so none comes to the same one twice */
  const waiting = new Map<number, Bitset>();
  let open = names.size;

  const hand = (position: number, entries: Bitset): void => {
    const present = waiting.get(position);
    if (present !== undefined) {
      addAll(present, entries);
      return;
    }
    waiting.set(position, entries);
    queue.push(position);
  };
  const all = new Bitset(names.size);
  for (let index = 0; index < names.size; index++) {
    all.add(index);
  }
  hand(start, all);

  for (let looked = 1; queue.length > 0 && open > 0; looked++) {
    const position = queue.pop();
    const entries = waiting.get(position)!;
    waiting.delete(position);
    const answer = known.get(position);
    for (const index of answer === undefined ? [] : [...entries]) {
      const last = answer?.get(keys[index]!);
      if (last !== undefined) {
        found[index] = last;
        entries.delete(index);
        open--;
      }
    }
    if (isEmpty(entries)) {
      continue;
    }
    const own = directory.treeAt(position);
    for (let index = 0; index < graph.parentCount(position) && !isEmpty(entries); index++) {
      const parent = graph.parentAt(position, index);
      const theirs = directory.treeAt(parent);
      const same = entries.clone();
      if (theirs !== own) {
        removeDiffering(graph, own, theirs, names, same);
      }
      if (!isEmpty(same)) {
        removeAll(entries, same);
        hand(parent, same);
      }
    }
    for (const index of entries) {
      found[index] = position;
      open--;
    }
    if ((looked & 0x1f) === 0) {
      yield;
    }
  }
  return { commits: found, names: keys };
}

/** Names as Latin-1 of their bytes, which is one to one whatever their encoding, with their index in the tree. */
function entryNames(graph: CommitGraph, tree: number): Map<string, number> {
  const names = new Map<string, number>();
  for (const cursor = cursorAt(graph, tree); cursor.valid; cursor.next()) {
    names.set(keyOf(cursor), names.size);
  }
  return names;
}

/** Takes out of `entries` those that two versions of the directory do not have in common. */
function removeDiffering(
  graph: CommitGraph,
  own: number,
  theirs: number,
  names: ReadonlyMap<string, number>,
  entries: Bitset,
): void {
  const left = own < 0 ? null : cursorAt(graph, own);
  const right = theirs < 0 ? null : cursorAt(graph, theirs);
  const differs = (cursor: TreeCursor): void => {
    const index = names.get(keyOf(cursor));
    if (index !== undefined) {
      entries.delete(index);
    }
  };
  for (;;) {
    const a = left?.valid === true ? left : null;
    const b = right?.valid === true ? right : null;
    if (a === null && b === null) {
      return;
    }
    const order = a === null ? 1 : b === null ? -1 : a.compare(b);
    if (a !== null && b !== null && order === 0) {
      if (!a.sameOid(b) || fileMode(a.mode) !== fileMode(b.mode)) {
        differs(a);
      }
    } else {
      differs((order < 0 ? a : b)!);
    }
    if (order <= 0) {
      a?.next();
    }
    if (order >= 0) {
      b?.next();
    }
  }
}

function cursorAt(graph: CommitGraph, tree: number): TreeCursor {
  const { type, bytes } = graph.db.read(tree);
  return new TreeCursor(type === ObjectType.tree ? bytes : new Uint8Array(0), graph.db.format);
}

function keyOf(cursor: TreeCursor): string {
  const { bytes } = cursor;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(
    "latin1",
    cursor.nameAt,
    cursor.nameEnd,
  );
}

function addAll(to: Bitset, entries: Bitset): void {
  for (let word = 0; word < to.words.length; word++) {
    to.words[word]! |= entries.words[word]!;
  }
}

function removeAll(from: Bitset, entries: Bitset): void {
  for (let word = 0; word < from.words.length; word++) {
    from.words[word]! &= ~entries.words[word]!;
  }
}

function isEmpty(entries: Bitset): boolean {
  return entries.words.every((word) => word === 0);
}
