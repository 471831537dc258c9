import { CorruptObject } from "../objects/errors.ts";
import { ObjectType, typeName } from "../objects/object-type.ts";
import { parseTag } from "../objects/tag.ts";
import { MissingObject, type ObjectDatabase } from "../odb/object-database.ts";
import type { PackLinks } from "../index-pack/link-counter.ts";
import { Bitset } from "./bitset.ts";
import { commitsBetween } from "./commits-between.ts";
import { adoptLinks } from "./linked-closures.ts";
import { peel } from "./peel.ts";
import { RepositoryReader } from "./repository-reader.ts";
import { TreeMarker } from "./tree-marker.ts";

/** The object that a new or moved ref would point to. */
export interface CheckedTip {
  readonly oid: string;
  /** type of the object itself: `refs/heads/*` may only name commits */
  readonly type: ObjectType;
  /** the end of the chain of an annotated tag, null for everything else */
  readonly peeled: string | null;
}

/** The objects of a push: the first packs of the database, and objects in them that they have from older packs. */
export interface Brought {
  readonly packs: number;
  /** positions */
  readonly bases: readonly number[];
}

/**
 * Does the work of `checkConnectivity` for the first pack of a repository if nothing in it names an object outside it:
 * only the tips are left to check. Afterwards `reader.closures` has the closures of the first tip and of all.
 */
export function* checkLinkedTips(
  reader: RepositoryReader,
  newTips: readonly string[],
  links: PackLinks,
): Generator<undefined, CheckedTip[]> {
  const { checked } = lookAtTips(reader.db, newTips);
  const tips = newTips.map((hex) => reader.db.findHex(hex));
  yield* adoptLinks(reader, links, [tips.slice(0, 1), tips]);
  return checked;
}

/**
 * Checks that everything that the new tips reach is there, and of the right type. `oldTips` are what the refs point to
 * already: those objects are known to be complete. Oids are hex. Only what the old tips reach is taken as complete:
 * their commits, and the trees of those of them that are parents of new commits. That an object lies in an old pack
 * says nothing: it may be left over from a deleted branch, and what it refers to may be gone. So a tree that is found
 * in an old pack but not below such a parent is walked like a new one; its blobs need only be there. With `brought`, an
 * object of an older pack counts as there only if the old tips reach it. Packs keep deleted objects for a while, and a
 * fork has its parent's packs. A user who knows the oid of such an object must not get it by a push that names it, so
 * the push fails as if the object were missing. Of a repository that is nothing but one new pack, `reader.closures` has
 * those of the first tip and of all of them after that; the reader must have been made to check types. Throws
 * MissingObject naming what is missing, CorruptObject for an object of the wrong type. Yields where others may have
 * their turn; returns the new tips in their order.
 */
export function* checkConnectivity(
  reader: RepositoryReader,
  newTips: readonly string[],
  oldTips: readonly string[],
  brought: Brought | null = null,
): Generator<undefined, CheckedTip[]> {
  const { db, graph } = reader;
  const firstOld = brought === null || brought.packs >= db.packs.length ? db.size : db.startOf(brought.packs);
  const knownCommits: number[] = [];
  for (const hex of oldTips) {
    const position = db.findHex(hex);
    if (position >= 0) {
      const end = peel(db, position);
      if (end.type === ObjectType.commit) {
        knownCommits.push(end.position);
      }
    }
  }

  const { checked, commits, trees, others } = lookAtTips(db, newTips);
  if (knownCommits.length === 0 && db.packs.length === 1 && firstOld > 0) {
    // Everything is new, so the check computes the closure of the tips. It is kept for the next clone.
    for (const tips of [newTips.slice(0, 1), newTips]) {
      for (const _ of reader.closures.of(tips.map((hex) => db.findHex(hex)))) {
        yield undefined;
      }
    }
    return checked;
  }
  const steps = commitsBetween(graph, { from: commits, known: knownCommits });
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) {
    yield undefined;
  }
  const seen = new Bitset(db.size);
  const marker = new TreeMarker(db, seen, { checkTypes: true });
  for (const edge of step.value.edges) {
    marker.mark(graph.treeOf(edge));
  }
  const proven = firstOld === db.size && (brought?.bases.length ?? 0) === 0 ? null : seen.clone();
  for (const tree of trees) {
    marker.mark(tree);
  }
  for (const commit of step.value.commits) {
    marker.mark(graph.treeOf(commit));
    yield undefined;
  }
  if (brought !== null && proven !== null) {
    const old = [...step.value.commits, ...others].filter((position) => position >= firstOld);
    const bases = brought.bases.filter((position) => !proven.has(position));
    yield* checkReached(reader, oldTips, [...old, ...bases, ...newlySeen(seen, proven, firstOld)]);
  }
  return checked;
}

/** Returns the positions that are in one set and not in the other, from a position on. */
function newlySeen(seen: Bitset, before: Bitset, from: number): number[] {
  const found: number[] = [];
  for (let word = from >>> 5; word < seen.words.length; word++) {
    for (let left = seen.words[word]! & ~before.words[word]!; left !== 0; left &= left - 1) {
      const position = 32 * word + 31 - Math.clz32(left & -left);
      if (position >= from) {
        found.push(position);
      }
    }
  }
  return found;
}

/** Throws MissingObject for the first of these objects that the tips do not reach. Walks all that they do reach, if there is any to look for. */
function* checkReached(
  { db }: RepositoryReader,
  tips: readonly string[],
  positions: readonly number[],
): Generator<undefined, void> {
  if (positions.length === 0) {
    return;
  }
  const reader = new RepositoryReader(db);
  reader.inherit(null);
  const walk = reader.closures.of(tips.map((hex) => db.findHex(hex)).filter((position) => position >= 0));
  let step = walk.next();
  for (; step.done !== true; step = walk.next()) {
    yield undefined;
  }
  const { value: reached } = step;
  const hidden = positions.find((position) => !reached.has(position));
  if (hidden !== undefined) {
    throw new MissingObject(db.hexAt(hidden));
  }
}

/**
 * Reads the tips. Returns the positions of their commits and of the trees that they end at; `others` are the positions
 * of their tags, and of final objects of other types. Throws MissingObject, CorruptObject.
 */
function lookAtTips(
  db: ObjectDatabase,
  hexes: readonly string[],
): { checked: CheckedTip[]; commits: number[]; trees: number[]; others: number[] } {
  const checked: CheckedTip[] = [];
  const commits: number[] = [];
  const trees: number[] = [];
  const others: number[] = [];
  for (const hex of hexes) {
    const position = db.findHex(hex);
    if (position < 0) {
      throw new MissingObject(hex);
    }
    const end = peel(db, position, (tag) => {
      checkDeclaredType(db, tag);
      others.push(tag);
    });
    const type = db.typeAt(position);
    checked.push({ oid: hex, type, peeled: type === ObjectType.tag ? db.hexAt(end.position) : null });
    if (end.type === ObjectType.commit) {
      commits.push(end.position);
    } else if (end.type === ObjectType.tree) {
      trees.push(end.position);
    } else {
      others.push(end.position);
    }
  }
  return { checked, commits, trees, others };
}

/** Throws CorruptObject when what a tag points to is of another type than it says. */
function checkDeclaredType(db: ObjectDatabase, tag: number): void {
  const { object, type } = parseTag(db.read(tag).bytes, db.format);
  const position = db.findHex(object);
  if (position >= 0 && db.typeAt(position) !== type) {
    throw new CorruptObject(`The tag ${db.hexAt(tag)} names ${object} as a ${typeName(type)}, which it is not`);
  }
}
