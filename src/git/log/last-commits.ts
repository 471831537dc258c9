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

/** Entries of one directory. */
export interface WantedEntries {
  /** of the directory */
  readonly path: string;
  /** as Latin-1 of their bytes; null for all that the first commit has */
  readonly names: ReadonlySet<string> | null;
  /** answers that are known, by the commits that they are for */
  readonly known: ReadonlyMap<number, LastCommitsByName>;
}

export interface FoundLastCommits {
  /** by the entry's index; -1 for one that no commit changed (which a sound history does not have) */
  readonly commits: Int32Array;
  /** of the entries as Latin-1 of their bytes, by their index: those that there are */
  readonly names: readonly string[];
}

/** The entries of one directory during a walk. */
interface Group {
  readonly directory: DirectoryHistory;
  /** of the entries by their names; those of one group follow each other */
  readonly indexes: ReadonlyMap<string, number>;
  readonly names: readonly string[];
  /** index of its first entry */
  readonly from: number;
  readonly known: WantedEntries["known"];
}

/**
 * For entries of directories the commits that `git log -1 <commit> -- <entry>` names, by directory. All in one walk: each
 * commit hands to the parent that has the same content those entries that are still open, and an entry that differs from all
 * parents is done. Where the walk comes to a commit whose answer is known, that answers for the entries that wait there:
 * they have the same content. Yields now and then. Throws MissingObject, CorruptObject, CorruptPack.
 */
export function* findLastCommits(
  graph: CommitGraph,
  start: number,
  wanted: readonly WantedEntries[],
): Generator<void, FoundLastCommits[]> {
  const groups: Group[] = [];
  let count = 0;
  for (const { path, names: only, known } of wanted) {
    const directory = new DirectoryHistory(graph, pathComponents(path));
    const tree = directory.treeAt(start);
    const names = (tree < 0 ? [] : entryNames(graph, tree)).filter((name) => only?.has(name) !== false);
    const from = count;
    groups.push({ directory, names, from, known, indexes: new Map(names.map((name, at) => [name, from + at])) });
    count += names.length;
  }
  const found = new Int32Array(count).fill(-1);
  const queue = new DateOrderQueue(graph);
  /** entries that wait at a queued commit; each is at one commit only, so none comes to the same one twice */
  const waiting = new Map<number, Bitset>();
  let open = count;

  const hand = (position: number, entries: Bitset): void => {
    const present = waiting.get(position);
    if (present !== undefined) {
      addAll(present, entries);
      return;
    }
    waiting.set(position, entries);
    queue.push(position);
  };
  const all = new Bitset(count);
  for (let index = 0; index < count; index++) {
    all.add(index);
  }
  hand(start, all);

  for (let looked = 1; queue.length > 0 && open > 0; looked++) {
    const position = queue.pop();
    const entries = waiting.get(position)!;
    waiting.delete(position);
    open -= takeKnown(groups, position, entries, found);
    for (let index = 0; index < graph.parentCount(position) && !isEmpty(entries); index++) {
      const parent = graph.parentAt(position, index);
      const same = entries.clone();
      for (const { directory, indexes } of groups) {
        const [own, theirs] = [directory.treeAt(position), directory.treeAt(parent)];
        if (own !== theirs) {
          removeDiffering(graph, own, theirs, indexes, same);
        }
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
  return groups.map(({ names, from }) => ({ names, commits: found.slice(from, from + names.length) }));
}

/** Takes out of `entries` those whose answers are known at this commit; how many they are. */
function takeKnown(groups: readonly Group[], position: number, entries: Bitset, found: Int32Array): number {
  let taken = 0;
  for (const { known, names, from } of groups) {
    const answer = known.get(position);
    if (answer === undefined) {
      continue;
    }
    names.forEach((name, at) => {
      const last = entries.has(from + at) ? answer.get(name) : undefined;
      if (last !== undefined) {
        found[from + at] = last;
        entries.delete(from + at);
        taken++;
      }
    });
  }
  return taken;
}

/** Names as Latin-1 of their bytes, which is one to one whatever their encoding, in the order of the tree. */
function entryNames(graph: CommitGraph, tree: number): string[] {
  const names: string[] = [];
  for (const cursor = cursorAt(graph, tree); cursor.valid; cursor.next()) {
    names.push(keyOf(cursor));
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
