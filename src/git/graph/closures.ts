import { SharedSteps } from "../../lib/shared-steps.ts";
import { ObjectType } from "../objects/object-type.ts";
import { Bitset } from "./bitset.ts";
import type { CommitGraph } from "./commit-graph.ts";
import { CommitQueue } from "./commit-queue.ts";
import { peel } from "./peel.ts";
import type { Placement } from "./placement.ts";
import { TreeMarker } from "./tree-marker.ts";

const keptClosures = 4;

/** Everything that some objects reach, themselves included; positions of one object database. Not to be written to. */
export interface Closure {
  readonly tips: ReadonlySet<number>;
  readonly objects: Bitset;
}

/** The sets of all objects that certain tips reach; the last few are kept. One costs a bit for each object of the database. */
export class Closures {
  readonly #kept = new Map<string, Closure>();
  /** Many may clone the same at the same time. */
  readonly #walks = new SharedSteps<number, Bitset>();

  /** checkTypes: refuse trees that name something other than a blob as a file */
  constructor(
    private readonly graph: CommitGraph,
    private readonly checkTypes = false,
  ) {}

  /** The closures that are kept, the last used last. */
  get kept(): readonly Closure[] {
    return [...this.#kept.values()];
  }

  /** Keeps closures that are known from elsewhere. */
  adopt(closures: readonly Closure[], placement: Placement): void {
    for (const { tips, objects } of closures) {
      this.#keep({ tips: new Set([...tips].map(placement.of)), objects: placement.ofAll(objects) });
    }
  }

  /** Returns the result of `of` if it is kept; else null. */
  find(tips: readonly number[]): Bitset | null {
    return this.#kept.get(keyOf(new Set(tips)))?.objects ?? null;
  }

  /**
   * Everything that the objects at `tips` reach, themselves included. Not to be written to.
   * A generator, so that the first walk of a large repository can be interrupted: yields how many objects it has found.
   * Throws MissingObject, CorruptObject.
   */
  *of(tips: readonly number[]): Generator<number, Bitset> {
    const set = new Set(tips);
    const key = keyOf(set);
    const closure = this.#kept.get(key) ?? { tips: set, objects: yield* this.#walks.join(key, () => this.#walk(set)) };
    this.#keep(closure);
    return closure.objects;
  }

  #keep(closure: Closure): void {
    const key = keyOf(closure.tips);
    this.#kept.delete(key);
    this.#kept.set(key, closure);
    for (const old of this.#kept.keys()) {
      if (this.#kept.size <= keptClosures) {
        break;
      }
      this.#kept.delete(old);
    }
  }

  /**
   * Goes through the commits first, newest first, and takes over each kept closure as soon as all its tips have come up:
   * what a push adds to a large repository is then all that is left. Trees are walked after that, where they are new.
   */
  *#walk(tips: ReadonlySet<number>): Generator<number, Bitset> {
    const { graph } = this;
    const { db } = graph;
    const closure = new Bitset(db.size);
    const parts = new ClosureParts(this.#kept.values(), closure);
    const trees = new TreeMarker(db, closure, { checkTypes: this.checkTypes });
    const queued = new Bitset(db.size);
    const queue = new CommitQueue(graph);
    const enqueue = (position: number): void => {
      if (!queued.has(position)) {
        queued.add(position);
        parts.meet(position);
        if (!closure.has(position)) {
          queue.push(position);
        }
      }
    };
    const others: number[] = [];
    for (const tip of tips) {
      const end = peel(db, tip, (tag) => {
        parts.meet(tag);
        closure.add(tag);
      });
      if (end.type === ObjectType.commit) {
        enqueue(end.position);
      } else {
        others.push(end.position);
      }
    }
    const commits: number[] = [];
    for (let position = queue.pop(); position >= 0; position = queue.pop()) {
      if (closure.has(position)) {
        continue;
      }
      commits.push(position);
      for (let index = graph.parentCount(position) - 1; index >= 0; index--) {
        enqueue(graph.parentAt(position, index));
      }
      yield 0;
    }

    let count = 0;
    for (const position of others) {
      if (db.typeAt(position) === ObjectType.tree) {
        count += trees.mark(position);
      } else {
        closure.add(position);
      }
    }
    for (const position of commits) {
      if (!closure.has(position)) {
        closure.add(position);
        count += 1 + trees.mark(graph.treeOf(position));
        yield count;
      }
    }
    return closure;
  }
}

/** Known closures that may turn out to be parts of a larger one. */
class ClosureParts {
  /** by tip: the closures that wait for it */
  readonly #waiting = new Map<number, { missing: number; readonly objects: Bitset }[]>();

  constructor(
    known: Iterable<Closure>,
    private readonly whole: Bitset,
  ) {
    for (const { tips, objects } of known) {
      const part = { missing: tips.size, objects };
      for (const tip of tips) {
        const others = this.#waiting.get(tip) ?? [];
        others.push(part);
        this.#waiting.set(tip, others);
      }
    }
  }

  /** An object that belongs to the whole has come up. Adds the closures none of whose tips is missing now. */
  meet(position: number): void {
    const parts = this.#waiting.get(position);
    if (parts === undefined) {
      return;
    }
    this.#waiting.delete(position);
    for (const part of parts) {
      part.missing--;
      if (part.missing === 0) {
        this.whole.addAll(part.objects);
        // A tip inside it will not come up by itself any more.
        [...this.#waiting.keys()].filter((tip) => this.whole.has(tip)).forEach((tip) => this.meet(tip));
      }
    }
  }
}

function keyOf(tips: ReadonlySet<number>): string {
  return Int32Array.from(tips).sort().join();
}
