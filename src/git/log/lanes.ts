/** A line from the middle of a row to the middle of the next one: between two lanes, in the colour of its line of history. */
export interface LaneLine {
  readonly from: number;
  readonly to: number;
  readonly colour: number;
}

/** Where a commit stands in a drawing of history. */
export interface LaneRow {
  readonly lane: number;
  readonly colour: number;
  /** towards the next row */
  readonly lines: readonly LaneLine[];
}

const free = -1;

/**
 * Places commits in lanes, as `git log --graph` does: give them in an order in which none comes before its children. A lane belongs to the commit
 * that is expected in it next; a commit takes the lane in which it is expected, or a free one.
 */
export class LaneDrawing {
  /** by lane: the commit that is expected in it */
  readonly #expected: number[] = [];
  readonly #colours: number[] = [];
  #nextColour = 0;

  /** Places the next commit. Numbers name commits. */
  place(commit: number, parents: readonly number[]): LaneRow {
    const known = this.#expected.indexOf(commit);
    const lane = known < 0 ? this.#take(commit) : known;
    const colour = this.#colours[lane] ?? 0;
    this.#expected[lane] = free;
    const others = new Map(
      [...this.#expected.keys()].flatMap((from) => {
        const line = { from, to: from, colour: this.#colours[from] ?? 0 };
        return this.#expected[from] === free ? [] : [[from, line]];
      }),
    );
    const own = parents.map((parent, index) => {
      const there = this.#expected.indexOf(parent);
      if (index === 0 && (there < 0 || there > lane)) {
        this.#expected[lane] = parent;
        const other = others.get(there);
        if (other !== undefined) {
          // Lines that meet do so in the first of their lanes, so that a drawing becomes narrow again.
          this.#expected[there] = free;
          others.set(there, { ...other, to: lane });
        }
        return { from: lane, to: lane, colour };
      }
      const to = there < 0 ? this.#take(parent) : there;
      return { from: lane, to, colour: index === 0 ? colour : (this.#colours[to] ?? 0) };
    });
    while (this.#expected.at(-1) === free) {
      this.#expected.pop();
    }
    return { lane, colour, lines: [...others.values(), ...own] };
  }

  #take(commit: number): number {
    const found = this.#expected.indexOf(free);
    const lane = found < 0 ? this.#expected.length : found;
    this.#expected[lane] = commit;
    this.#colours[lane] = this.#nextColour++;
    return lane;
  }
}
