import { ObjectType } from "../objects/object-type.ts";
import { parseHexAt } from "../objects/oid.ts";
import { FileMode, forEachTreeEntry } from "../objects/tree.ts";
import type { ObjectDatabase } from "../odb/object-database.ts";
import type { PackLinks } from "../index-pack/link-counter.ts";
import { Bitset } from "./bitset.ts";
import type { Closure } from "./closures.ts";
import type { CommitGraph } from "./commit-graph.ts";
import { Placement } from "./placement.ts";
import type { RepositoryReader } from "./repository-reader.ts";

/** Objects between two turns of others: to go through three generators for each took as long as the work itself. */
const turnObjects = 64;

/**
 * Takes over how the objects of the reader's only pack hang together: its commits, and what each of these sets of tips
 * reaches. That no object names anything outside the pack is what `links` says, so nothing needs to be walked to know that
 * all is there. Yields where others may have their turn.
 */
export function* adoptLinks(
  reader: RepositoryReader,
  links: PackLinks,
  tipSets: readonly (readonly number[])[],
): Generator<undefined, void> {
  const placement = new Placement(reader.db, 0);
  reader.graph.adopt(links.commits, placement.of);
  const closures: Closure[] = [];
  for (const tips of tipSets) {
    closures.push(yield* closureOf(reader, links, tips));
  }
  reader.closures.adopt(closures, placement);
}

/**
 * All objects but those that are left over: nothing names them, or only what is left over itself. Objects cannot name each
 * other in a circle, so counting finds them all, and only they are looked at.
 */
function* closureOf(
  reader: RepositoryReader,
  links: PackLinks,
  tips: readonly number[],
): Generator<undefined, Closure> {
  const { counts } = links;
  const held = new Set(tips);
  const left = counts.slice();
  const objects = new Bitset(counts.length);
  objects.words.fill(0xffff_ffff);
  const beyond = counts.length & 31;
  if (beyond !== 0) {
    objects.words.set([2 ** beyond - 1], objects.words.length - 1);
  }
  const unused: number[] = [];
  for (let position = 0; position < left.length; position++) {
    if (left[position] === 0 && !held.has(position)) {
      unused.push(position);
    }
  }
  const drop = (position: number): void => {
    if (--left[position]! === 0 && !held.has(position)) {
      unused.push(position);
    }
  };
  const { db } = reader;
  const { index } = db.packs[0]!;
  let turn = 0;
  while (unused.length > 0) {
    const toRead: number[] = [];
    for (let position = unused.pop(); position !== undefined; position = unused.pop()) {
      objects.delete(position);
      const type = links.types[position]!;
      if (type === ObjectType.commit) {
        forEachOfCommit(reader.graph, position, drop);
      } else if (type !== ObjectType.blob && !forEachListed(links, position, drop)) {
        toRead.push(position);
      }
      if (++turn % turnObjects === 0) {
        yield undefined;
      }
    }
    // In the order of the pack: in any other, each tree and base takes a read of its own.
    for (const position of toRead.sort((left, right) => index.offsetAt(left) - index.offsetAt(right))) {
      forEachRead(db, position, drop);
      if (++turn % turnObjects === 0) {
        yield undefined;
      }
    }
  }
  return { tips: held, objects };
}

/** Visits what an object names if that was written down; false if it was not. */
function forEachListed(
  { named: { starts, lists, positions } }: PackLinks,
  position: number,
  visit: (position: number) => void,
): boolean {
  const start = starts[position]!;
  for (let at = start + 1, end = start < 0 ? at : at + lists[start]!; at < end; at++) {
    visit(positions[lists[at]!]!);
  }
  return start >= 0;
}

/** Visits what a commit names. */
function forEachOfCommit(graph: CommitGraph, position: number, visit: (position: number) => void): void {
  visit(graph.treeOf(position));
  for (let index = graph.parentCount(position) - 1; index >= 0; index--) {
    visit(graph.parentAt(position, index));
  }
}

/** Reads a tree or tag and visits what it names, as often as it names it. */
function forEachRead(db: ObjectDatabase, position: number, visit: (position: number) => void): void {
  const { type, bytes } = db.read(position);
  if (type === ObjectType.tree) {
    forEachTreeEntry(bytes, db.format, (mode, _nameAt, _nameEnd, oidAt) => {
      if (mode !== FileMode.submodule) {
        visit(db.find(bytes, oidAt));
      }
    });
  } else {
    const oid = new Uint8Array(db.format.oidBytes);
    parseHexAt(bytes, 7, oid);
    visit(db.find(oid));
  }
}
