import type { CommitGraph } from "./commit-graph.ts";

/** Dates beyond this are taken for it, so that adding one still makes a larger number. */
const latestDate = 2 ** 40;

/**
 * For each commit a number that is larger than those of all its parents and, unless dates lie, its committer date:
 * git's corrected commit date. A walk by this number, largest first, meets each commit after all its children, and
 * recent commits before old ones. A number is computed when it is first needed, which visits all ancestors of the
 * commit, and then kept.
 */
export class Generations {
  /** by commit number; 0 while unknown */
  #known = new Float64Array(1024);

  constructor(readonly graph: CommitGraph) {}

  /** Copies the known numbers for a graph whose first commits have the same numbers. */
  copy(graph: CommitGraph): Generations {
    const copy = new Generations(graph);
    copy.#known = this.#known.slice();
    return copy;
  }

  /** The number of a commit that `reckon` was called for, or of one that it reaches. */
  of(position: number): number {
    return this.#known[this.graph.numberOf(position)]!;
  }

  /** Reckons what is needed for these commits. Yields now and then. Throws MissingObject, CorruptObject, CorruptPack. */
  *reckon(tips: Iterable<number>): Generator<void, void> {
    const { graph } = this;
    const stack = [...tips];
    for (let looked = 1; stack.length > 0; looked++) {
      const position = stack.at(-1)!;
      const number = graph.numberOf(position);
      if ((this.#known[number] ?? 0) > 0) {
        stack.pop();
        continue;
      }
      let generation = Math.min(Math.max(1, graph.dateOf(position)), latestDate);
      let waits = false;
      for (let index = graph.parentCount(position) - 1; index >= 0; index--) {
        const parent = graph.parentAt(position, index);
        const before = this.#known[graph.numberOf(parent)] ?? 0;
        if (before === 0) {
          waits = true;
          stack.push(parent);
        } else {
          generation = Math.max(generation, before + 1);
        }
      }
      if (!waits) {
        stack.pop();
        this.#keep(number, generation);
      }
      if ((looked & 0xff) === 0) {
        yield;
      }
    }
  }

  #keep(number: number, generation: number): void {
    if (number >= this.#known.length) {
      const larger = new Float64Array(Math.max(this.graph.size, this.#known.length) * 2);
      larger.set(this.#known);
      this.#known = larger;
    }
    this.#known[number] = generation;
  }
}

/** Positions of commits, each once and the one of the largest generation first, so that none comes before its children. */
export class GenerationQueue {
  readonly #positions: number[] = [];
  readonly #keys: number[] = [];

  /** for commits that the generations are known of */
  constructor(private readonly generations: Generations) {}

  get length(): number {
    return this.#positions.length;
  }

  push(position: number): void {
    const positions = this.#positions;
    const keys = this.#keys;
    const key = this.generations.of(position);
    let at = positions.length;
    for (let parent = (at - 1) >> 1; at > 0 && keys[parent]! < key; parent = (at - 1) >> 1) {
      positions[at] = positions[parent]!;
      keys[at] = keys[parent]!;
      at = parent;
    }
    positions[at] = position;
    keys[at] = key;
  }

  /** Takes the commit that comes next; -1 when there is none. */
  pop(): number {
    const positions = this.#positions;
    const keys = this.#keys;
    const first = positions[0];
    const position = positions.pop();
    const key = keys.pop();
    if (first === undefined || position === undefined || key === undefined) {
      return -1;
    }
    const { length } = positions;
    if (length > 0) {
      let at = 0;
      for (let child = 1; child < length; child = 2 * at + 1) {
        child += child + 1 < length && keys[child + 1]! > keys[child]! ? 1 : 0;
        if (keys[child]! <= key) {
          break;
        }
        positions[at] = positions[child]!;
        keys[at] = keys[child]!;
        at = child;
      }
      positions[at] = position;
      keys[at] = key;
    }
    return first;
  }
}
