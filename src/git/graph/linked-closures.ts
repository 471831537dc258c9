import { ObjectType } from "../objects/object-type.ts";
import { parseHexAt } from "../objects/oid.ts";
import { FileMode, forEachTreeEntry } from "../objects/tree.ts";
import type { PackLinks } from "../pack/link-counter.ts";
import { Bitset } from "./bitset.ts";
import type { Closure } from "./closures.ts";
import { Placement } from "./placement.ts";
import type { RepositoryReader } from "./repository-reader.ts";

/**
 * Takes over how the objects of the reader's only pack hang together: its commits, and what each of these sets of tips
 * reaches. That no object names anything outside the pack is what `links` says, so nothing needs to be walked to know that
 * all is there. Yields where others may have their turn.
 */
export function* adoptLinks(reader: RepositoryReader, links: PackLinks, tipSets: readonly (readonly number[])[]): Generator<undefined, void> {
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
function* closureOf(reader: RepositoryReader, { counts, named }: PackLinks, tips: readonly number[]): Generator<undefined, Closure> {
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
  for (let position = unused.pop(); position !== undefined; position = unused.pop()) {
    objects.delete(position);
    const start = named.starts[position]!;
    if (start >= 0) {
      const { lists, positions } = named;
      for (let at = start + 1, end = at + lists[start]!; at < end; at++) {
        drop(positions[lists[at]!]!);
      }
    } else {
      forEachNamed(reader, position, drop);
    }
    yield undefined;
  }
  return { tips: held, objects };
}

/** Visits what an object names, as often as it names it. */
function forEachNamed({ db, graph }: RepositoryReader, position: number, visit: (position: number) => void): void {
  const type = db.typeAt(position);
  if (type === ObjectType.commit) {
    visit(graph.treeOf(position));
    for (let index = graph.parentCount(position) - 1; index >= 0; index--) {
      visit(graph.parentAt(position, index));
    }
  } else if (type === ObjectType.tree) {
    const { bytes } = db.read(position);
    forEachTreeEntry(bytes, db.format, (mode, _nameAt, _nameEnd, oidAt) => {
      if (mode !== FileMode.submodule) {
        visit(db.find(bytes, oidAt));
      }
    });
  } else if (type === ObjectType.tag) {
    const oid = new Uint8Array(db.format.oidBytes);
    parseHexAt(db.read(position).bytes, 7, oid);
    visit(db.find(oid));
  }
}
