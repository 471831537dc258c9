import { ObjectType } from "../objects/object-type.ts";
import { Bitset } from "./bitset.ts";
import type { CommitGraph } from "./commit-graph.ts";
import { peel } from "./peel.ts";
import { TreeMarker } from "./tree-marker.ts";

const keptClosures = 4;

/** The sets of all objects that certain tips reach; the last few are kept. One costs a bit for each object of the database. */
export class Closures {
  readonly #kept = new Map<string, { readonly tips: ReadonlySet<number>; readonly closure: Bitset }>();

  constructor(private readonly graph: CommitGraph) {}

  /**
   * Everything that the objects at `tips` reach, themselves included. Not to be written to.
   * A generator, so that the first walk of a large repository can be interrupted: yields how many objects it has found.
   * Throws MissingObject, CorruptObject.
   */
  *of(tips: readonly number[]): Generator<number, Bitset> {
    const set = new Set(tips);
    const key = Int32Array.from(set).sort().join();
    const kept = this.#kept.get(key) ?? { tips: set, closure: yield* this.#walk(set) };
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    for (const old of this.#kept.keys()) {
      if (this.#kept.size <= keptClosures) {
        break;
      }
      this.#kept.delete(old);
    }
    return kept.closure;
  }

  /** The largest closure kept of some of these tips: the default branch's is most of that of all branches. */
  #findPart(tips: ReadonlySet<number>): Bitset | null {
    let best: Bitset | null = null;
    let most = 0;
    for (const { tips: part, closure } of this.#kept.values()) {
      const count = part.isSubsetOf(tips) ? closure.count() : 0;
      if (count > most) {
        best = closure;
        most = count;
      }
    }
    return best;
  }

  *#walk(tips: ReadonlySet<number>): Generator<number, Bitset> {
    const { graph } = this;
    const { db } = graph;
    const closure = this.#findPart(tips)?.clone() ?? new Bitset(db.size);
    const trees = new TreeMarker(db, closure);
    let count = 0;
    const commits: number[] = [];
    for (const tip of tips) {
      const end = peel(db, tip, (tag) => closure.add(tag));
      if (end.type === ObjectType.commit) {
        commits.push(end.position);
      } else if (end.type === ObjectType.tree) {
        trees.mark(end.position);
      } else {
        closure.add(end.position);
      }
    }
    for (let position = commits.pop(); position !== undefined; position = commits.pop()) {
      if (closure.has(position)) {
        continue;
      }
      closure.add(position);
      count += 1 + trees.mark(graph.treeOf(position));
      for (let index = graph.parentCount(position) - 1; index >= 0; index--) {
        commits.push(graph.parentAt(position, index));
      }
      yield count;
    }
    return closure;
  }
}
