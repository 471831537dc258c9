/**
 * The linear assignment problem: to each column its own row, so that the costs of all are least. The algorithm is that of R. Jonker and
 * A. Volgenant, "A shortest augmenting path algorithm for dense and sparse linear assignment problems", Computing 38 (1987). Of several
 * solutions it finds that of git-range-diff(1), because ties are broken alike: columns are reduced from the last to the first, all else goes from the
 * first to the last.
 */

const none = -1;

/** Costs of a square matrix, whole numbers: `costs[row * size + column]`. Returns the row of each column. */
export function assign(size: number, costs: Int32Array): Int32Array {
  const assignment = new Assignment(size, costs);
  return size < 2 ? new Int32Array(size) : assignment.solve();
}

class Assignment {
  readonly #rowOf: Int32Array;
  readonly #columnOf: Int32Array;
  /** What a column is cheaper for every row. */
  readonly #discount: Int32Array;
  #free: number[] = [];

  constructor(
    private readonly size: number,
    private readonly costs: Int32Array,
  ) {
    this.#rowOf = new Int32Array(size).fill(none);
    this.#columnOf = new Int32Array(size).fill(none);
    this.#discount = new Int32Array(size);
  }

  solve(): Int32Array {
    const contested = this.#reduceColumns();
    this.#transferReductions(contested);
    for (let phase = 0; phase < 2 && this.#free.length > 0; phase++) {
      this.#reduceRows();
    }
    for (const row of this.#free) {
      this.#augment(row);
    }
    return this.#rowOf;
  }

  #cost(row: number, column: number): number {
    return this.costs[row * this.size + column]!;
  }

  #reduced(row: number, column: number): number {
    return this.#cost(row, column) - this.#discount[column]!;
  }

  /** Gives each column the row that is cheapest for it, unless a later column has it. Returns the rows that several wanted. */
  #reduceColumns(): Set<number> {
    const contested = new Set<number>();
    for (let column = this.size - 1; column >= 0; column--) {
      let best = 0;
      for (let row = 1; row < this.size; row++) {
        if (this.#cost(row, column) < this.#cost(best, column)) {
          best = row;
        }
      }
      this.#discount[column] = this.#cost(best, column);
      if (this.#columnOf[best] === none) {
        this.#columnOf[best] = column;
        this.#rowOf[column] = best;
      } else {
        contested.add(best);
      }
    }
    return contested;
  }

  /** Makes the column of a row dearer by what its next best one costs more, where nobody else wanted the row. */
  #transferReductions(contested: ReadonlySet<number>): void {
    for (let row = 0; row < this.size; row++) {
      const own = this.#columnOf[row]!;
      if (own === none) {
        this.#free.push(row);
      } else if (!contested.has(row)) {
        let least = Number.POSITIVE_INFINITY;
        for (let column = 0; column < this.size; column++) {
          if (column !== own) {
            least = Math.min(least, this.#reduced(row, column));
          }
        }
        this.#discount[own]! -= least;
      }
    }
  }

  /** Gives each free row the column that is best for it. Who had that is free then, and comes next if the new one gains by it. */
  #reduceRows(): void {
    const waiting = this.#free.toReversed();
    this.#free = [];
    for (let row = waiting.pop(); row !== undefined; row = waiting.pop()) {
      const { best, second, least, next } = this.#twoBest(row);
      let column = best;
      if (least < next) {
        this.#discount[column]! -= next - least;
      } else if (this.#rowOf[column] !== none) {
        column = second;
      }
      const former = this.#rowOf[column]!;
      this.#columnOf[row] = column;
      this.#rowOf[column] = row;
      if (former !== none) {
        (least < next ? waiting : this.#free).push(former);
      }
    }
  }

  #twoBest(row: number): { best: number; second: number; least: number; next: number } {
    let [best, second] = [0, none];
    let least = this.#reduced(row, 0);
    let next = Number.POSITIVE_INFINITY;
    for (let column = 1; column < this.size; column++) {
      const cost = this.#reduced(row, column);
      if (cost >= next) {
        continue;
      }
      if (cost > least) {
        [second, next] = [column, cost];
      } else {
        [second, next] = [best, least];
        [best, least] = [column, cost];
      }
    }
    return { best, second, least, next };
  }

  /** Finds the cheapest way to a free column, over columns whose rows take another one, and goes it. */
  #augment(start: number): void {
    const { size } = this;
    const distance = Int32Array.from({ length: size }, (_, column) => this.#reduced(start, column));
    const before = new Int32Array(size).fill(start);
    /** Columns: those that are done, those that are as near as any other, and the rest. */
    const order = Int32Array.from({ length: size }, (_, column) => column);
    let done = 0;
    let near = 0;
    let settled = 0;
    let least = 0;
    const bringNear = (at: number): void => {
      const column = order[at]!;
      order[at] = order[near]!;
      order[near++] = column;
    };
    const findEnd = (): number => {
      for (;;) {
        if (done === near) {
          settled = done;
          least = distance[order[near++]!]!;
          for (let at = near; at < size; at++) {
            const its = distance[order[at]!]!;
            if (its < least) {
              near = done;
              least = its;
            }
            if (its === least) {
              bringNear(at);
            }
          }
          const end = order.subarray(done, near).find((column) => this.#rowOf[column] === none);
          if (end !== undefined) {
            return end;
          }
        }
        const column = order[done++]!;
        const row = this.#rowOf[column]!;
        const saved = this.#reduced(row, column) - least;
        for (let at = near; at < size; at++) {
          const other = order[at]!;
          const its = this.#reduced(row, other) - saved;
          if (its < distance[other]!) {
            distance[other] = its;
            before[other] = row;
            if (its === least) {
              if (this.#rowOf[other] === none) {
                return other;
              }
              bringNear(at);
            }
          }
        }
      }
    };
    let column = findEnd();
    for (const one of order.subarray(0, settled)) {
      this.#discount[one]! += distance[one]! - least;
    }
    for (let row = none; row !== start;) {
      row = before[column]!;
      this.#rowOf[column] = row;
      [column, this.#columnOf[row]] = [this.#columnOf[row]!, column];
    }
  }
}
