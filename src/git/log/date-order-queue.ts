import type { CommitGraph } from "../graph/commit-graph.ts";

/**
 * Positions of commits, the one with the latest date first and among equal dates the one that came first: the order of
 * git's own queue, on which the order of `git log` rests.
 */
export class DateOrderQueue {
  readonly #positions: number[] = [];
  readonly #dates: number[] = [];
  readonly #arrivals: number[] = [];
  #arrived = 0;

  constructor(private readonly graph: CommitGraph) {}

  get length(): number {
    return this.#positions.length;
  }

  /** The date of the commit that comes next; -Infinity when there is none. */
  get nextDate(): number {
    return this.#dates[0] ?? Number.NEGATIVE_INFINITY;
  }

  push(position: number): void {
    let at = this.#positions.length;
    const date = this.graph.dateOf(position);
    const arrival = this.#arrived++;
    for (let parent = (at - 1) >> 1; at > 0 && this.#dates[parent]! < date; parent = (at - 1) >> 1) {
      this.#move(parent, at);
      at = parent;
    }
    this.#put(at, position, date, arrival);
  }

  /** Takes the commit that comes next; -1 when there is none. */
  pop(): number {
    const first = this.#positions[0];
    const position = this.#positions.pop();
    const date = this.#dates.pop();
    const arrival = this.#arrivals.pop();
    if (first === undefined || position === undefined || date === undefined || arrival === undefined) {
      return -1;
    }
    const { length } = this.#positions;
    if (length > 0) {
      let at = 0;
      for (let child = 1; child < length; child = 2 * at + 1) {
        if (child + 1 < length && this.#precedes(child + 1, this.#dates[child]!, this.#arrivals[child]!)) {
          child++;
        }
        if (!this.#precedes(child, date, arrival)) {
          break;
        }
        this.#move(child, at);
        at = child;
      }
      this.#put(at, position, date, arrival);
    }
    return first;
  }

  #precedes(at: number, date: number, arrival: number): boolean {
    const own = this.#dates[at]!;
    return own > date || (own === date && this.#arrivals[at]! < arrival);
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#positions[from]!, this.#dates[from]!, this.#arrivals[from]!);
  }

  #put(at: number, position: number, date: number, arrival: number): void {
    this.#positions[at] = position;
    this.#dates[at] = date;
    this.#arrivals[at] = arrival;
  }
}
