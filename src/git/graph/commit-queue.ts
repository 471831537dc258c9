import type { CommitGraph } from "./commit-graph.ts";

/** Positions of commits, the one with the latest date first. */
export class CommitQueue {
  readonly #heap: number[] = [];

  constructor(private readonly graph: CommitGraph) {}

  get length(): number {
    return this.#heap.length;
  }

  /** The date of the commit that comes next; -Infinity when there is none. */
  get nextDate(): number {
    return this.#heap.length === 0 ? Number.NEGATIVE_INFINITY : this.graph.dateOf(this.#heap[0]!);
  }

  push(position: number): void {
    const heap = this.#heap;
    const date = this.graph.dateOf(position);
    let at = heap.length;
    heap.push(position);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.graph.dateOf(heap[parent]!) >= date) {
        break;
      }
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = position;
  }

  /** Takes the commit that comes next; -1 when there is none. */
  pop(): number {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined) {
      return -1;
    }
    if (heap.length > 0) {
      this.#sink(last);
    }
    return first;
  }

  #sink(position: number): void {
    const heap = this.#heap;
    const date = this.graph.dateOf(position);
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) {
        break;
      }
      if (child + 1 < heap.length && this.graph.dateOf(heap[child + 1]!) > this.graph.dateOf(heap[child]!)) {
        child++;
      }
      if (this.graph.dateOf(heap[child]!) <= date) {
        break;
      }
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = position;
  }
}
