import { Bitset } from "../graph/bitset.ts";
import type { CommitGraph } from "../graph/commit-graph.ts";
import type { CommitSelection } from "./commit-selection.ts";
import { DateOrderQueue } from "./date-order-queue.ts";
import type { PathsHistory } from "./paths-history.ts";
import { simplifyCommit } from "./simplify-commit.ts";

/** A commit of a selection, whether or not it is to be listed. */
export interface WalkedCommit {
  readonly position: number;
  /** those that are left to it, followed or not: it comes before them */
  readonly parents: readonly number[];
  readonly shown: boolean;
}

/** After everything in the queue is excluded, git looks at so many more commits. */
const slop = 5;

/**
 * The commits of a selection as git collects them before it lists any: excluded commits are in the same queue as the
 * others, and what a commit with simplified parents is followed to depends on what was known to be excluded by then.
 * Yields now and then. Throws MissingObject, CorruptObject, CorruptPack.
 */
export function* walkLimited(
  graph: CommitGraph,
  selection: CommitSelection,
  history: PathsHistory | null,
): Generator<void, WalkedCommit[]> {
  const walk = new LimitedWalk(graph, selection, history);
  for (let looked = 1; walk.step(); looked++) {
    if ((looked & 0x3f) === 0) {
      yield;
    }
  }
  return walk.result();
}

class LimitedWalk {
  readonly #queue: DateOrderQueue;
  readonly #excluded: Bitset;
  readonly #bottoms: ReadonlySet<number>;
  readonly #seen: Bitset;
  readonly #queued: Bitset;
  /** commits that the walk was told of, whose parents are known to it; simplified ones where that was done */
  readonly #parents = new Map<number, readonly number[]>();
  readonly #found: WalkedCommit[] = [];
  /** queued commits that are not excluded */
  #open = 0;
  #oldest = Number.POSITIVE_INFINITY;
  #slop = slop;

  constructor(
    private readonly graph: CommitGraph,
    private readonly selection: CommitSelection,
    private readonly history: PathsHistory | null,
  ) {
    this.#queue = new DateOrderQueue(graph);
    this.#excluded = new Bitset(graph.db.size);
    this.#seen = new Bitset(graph.db.size);
    this.#queued = new Bitset(graph.db.size);
    this.#bottoms = new Set(selection.not);
    selection.tips.forEach((position) => this.#learn(position));
    for (const position of selection.not) {
      this.#learn(position);
      this.#excluded.add(position);
      this.#excludeParents(position);
    }
    for (const position of [...selection.tips, ...selection.not]) {
      this.#enqueue(position);
    }
  }

  /** Looks at one commit; false at the end. */
  step(): boolean {
    const position = this.#queue.pop();
    if (position < 0) {
      return false;
    }
    this.#queued.delete(position);
    const { graph, selection } = this;
    const date = graph.dateOf(position);
    if (!this.#excluded.has(position)) {
      this.#open--;
      if (selection.since !== undefined && date < selection.since) {
        this.#excluded.add(position);
      }
    }
    if (this.#excluded.has(position)) {
      this.#passExclusion(position);
      return this.#goesOn();
    }
    const isRelevant = (parent: number): boolean => !this.#excluded.has(parent) || this.#bottoms.has(parent);
    const firstParent = selection.firstParent === true;
    const { parents, shown } = simplifyCommit(graph, position, this.history, isRelevant, firstParent);
    this.#learnCompared(position, parents, shown);
    this.#parents.set(position, parents);
    (firstParent ? parents.slice(0, 1) : parents).forEach((parent) => this.#enqueue(parent));
    if (selection.until !== undefined && date > selection.until) {
      return true;
    }
    this.#oldest = date;
    this.#found.push({ position, parents, shown });
    return true;
  }

  /** Returns the found commits that have not been excluded since. */
  result(): WalkedCommit[] {
    return this.#found.filter(({ position }) => !this.#excluded.has(position));
  }

  #goesOn(): boolean {
    if (this.#queue.length === 0) {
      return false;
    }
    this.#slop = this.#oldest <= this.#queue.nextDate || this.#open > 0 ? slop : this.#slop - 1;
    return this.#slop > 0;
  }

  #learn(position: number): void {
    if (!this.#parents.has(position)) {
      const count = this.graph.parentCount(position);
      this.#parents.set(
        position,
        Array.from({ length: count }, (_, index) => this.graph.parentAt(position, index)),
      );
    }
  }

  /** Comparing a commit with its parents makes them known, up to the one that is followed. */
  #learnCompared(position: number, followed: readonly number[], shown: boolean): void {
    const count = this.history === null || this.selection.firstParent === true ? 0 : this.graph.parentCount(position);
    for (let index = 0; index < count; index++) {
      const parent = this.graph.parentAt(position, index);
      this.#learn(parent);
      if (!shown && followed.length === 1 && parent === followed[0]) {
        return;
      }
    }
  }

  #enqueue(position: number): void {
    this.#learn(position);
    if (!this.#seen.has(position)) {
      this.#seen.add(position);
      this.#queued.add(position);
      this.#open += this.#excluded.has(position) ? 0 : 1;
      this.#queue.push(position);
    }
  }

  #passExclusion(position: number): void {
    for (const parent of this.#parents.get(position) ?? []) {
      this.#exclude(parent);
      this.#learn(parent);
      this.#excludeParents(parent);
      this.#enqueue(parent);
    }
  }

  #exclude(position: number): boolean {
    if (this.#excluded.has(position)) {
      return false;
    }
    this.#excluded.add(position);
    this.#open -= this.#queued.has(position) ? 1 : 0;
    return true;
  }

  /** Excludes what a commit is known to reach. */
  #excludeParents(position: number): void {
    const stack = [...(this.#parents.get(position) ?? [])];
    for (let parent = stack.pop(); parent !== undefined; parent = stack.pop()) {
      if (this.#exclude(parent)) {
        stack.push(...(this.#parents.get(parent) ?? []));
      }
    }
  }
}
