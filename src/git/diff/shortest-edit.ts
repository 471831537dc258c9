import type { DiffEffort } from "./diff-effort.ts";

/** A run of equal lines longer than this shows that a path is on the right way. */
const longSnake = 20;
/** Below this many edits the search is exact. */
const exactCost = 256;
const unreached = 0x7fffffff;

/**
 * Myers' algorithm in linear space (An O(ND) Difference Algorithm and Its Variations, section 4b): searches from both
 * ends at once, splits where they meet and treats the halves alike. A search that becomes expensive ends early with a
 * good split instead of the best, as git's does, so that hostile input costs little. Throws DiffTooCostly.
 */
export function markShortestEdit(
  { before, after, minimal, effort }: EditProblem,
  markRemoved: (at: number) => void,
  markAdded: (at: number) => void,
): void {
  const search = new SplitSearch(before, after, effort);
  // A stack instead of recursion: each entry is a box and whether its split must be exact.
  const boxes: [number, number, number, number, boolean][] = [[0, before.length, 0, after.length, minimal]];
  for (let box = boxes.pop(); box !== undefined; box = boxes.pop()) {
    let [beforeStart, beforeEnd, afterStart, afterEnd] = box;
    while (beforeStart < beforeEnd && afterStart < afterEnd && before[beforeStart] === after[afterStart]) {
      beforeStart++;
      afterStart++;
    }
    while (beforeStart < beforeEnd && afterStart < afterEnd && before[beforeEnd - 1] === after[afterEnd - 1]) {
      beforeEnd--;
      afterEnd--;
    }
    if (beforeStart === beforeEnd) {
      for (let at = afterStart; at < afterEnd; at++) {
        markAdded(at);
      }
    } else if (afterStart === afterEnd) {
      for (let at = beforeStart; at < beforeEnd; at++) {
        markRemoved(at);
      }
    } else {
      const split = search.split(beforeStart, beforeEnd, afterStart, afterEnd, box[4]);
      boxes.push([beforeStart, split.before, afterStart, split.after, split.exactLow]);
      boxes.push([split.before, beforeEnd, split.after, afterEnd, split.exactHigh]);
    }
  }
}

interface EditProblem {
  readonly before: Int32Array;
  readonly after: Int32Array;
  /** search exactly, whatever it costs */
  readonly minimal: boolean;
  readonly effort: DiffEffort;
}

interface Split {
  readonly before: number;
  readonly after: number;
  /** whether the half below must be searched exactly */
  readonly exactLow: boolean;
  readonly exactHigh: boolean;
}

/** The furthest points of both searches by diagonal (`before - after`), kept for all boxes of one diff. */
class SplitSearch {
  readonly #forward: Int32Array;
  readonly #backward: Int32Array;
  /** diagonals reach from -after.length - 1 to before.length + 1 */
  readonly #zero: number;
  readonly #maxCost: number;

  constructor(
    private readonly before: Int32Array,
    private readonly after: Int32Array,
    private readonly effort: DiffEffort,
  ) {
    const diagonals = before.length + after.length + 3;
    this.#forward = new Int32Array(diagonals);
    this.#backward = new Int32Array(diagonals);
    this.#zero = after.length + 1;
    this.#maxCost = Math.max(roughRoot(diagonals), exactCost);
  }

  split(beforeStart: number, beforeEnd: number, afterStart: number, afterEnd: number, exact: boolean): Split {
    const { before, after } = this;
    const forward = this.#forward;
    const backward = this.#backward;
    const zero = this.#zero;
    const lowest = beforeStart - afterEnd;
    const highest = beforeEnd - afterStart;
    const forwardMiddle = beforeStart - afterStart;
    const backwardMiddle = beforeEnd - afterEnd;
    const odd = ((forwardMiddle - backwardMiddle) & 1) !== 0;
    let forwardLow = forwardMiddle;
    let forwardHigh = forwardMiddle;
    let backwardLow = backwardMiddle;
    let backwardHigh = backwardMiddle;
    forward[zero + forwardMiddle] = beforeStart;
    backward[zero + backwardMiddle] = beforeEnd;
    for (let cost = 1; ; cost++) {
      let sawLongSnake = false;
      let steps = forwardHigh - forwardLow + backwardHigh - backwardLow;
      // A search that reached the edge of the box turns back there; else a sentinel stands beyond its last diagonal.
      if (forwardLow > lowest) {
        forward[zero + --forwardLow - 1] = -1;
      } else {
        forwardLow++;
      }
      if (forwardHigh < highest) {
        forward[zero + ++forwardHigh + 1] = -1;
      } else {
        forwardHigh--;
      }
      for (let diagonal = forwardHigh; diagonal >= forwardLow; diagonal -= 2) {
        const down = forward[zero + diagonal - 1]!;
        const right = forward[zero + diagonal + 1]!;
        const from = down >= right ? down + 1 : right;
        let x = from;
        let y = from - diagonal;
        while (x < beforeEnd && y < afterEnd && before[x] === after[y]) {
          x++;
          y++;
        }
        steps += x - from;
        sawLongSnake ||= x - from > longSnake;
        forward[zero + diagonal] = x;
        if (odd && backwardLow <= diagonal && diagonal <= backwardHigh && backward[zero + diagonal]! <= x) {
          return { before: x, after: y, exactLow: true, exactHigh: true };
        }
      }
      if (backwardLow > lowest) {
        backward[zero + --backwardLow - 1] = unreached;
      } else {
        backwardLow++;
      }
      if (backwardHigh < highest) {
        backward[zero + ++backwardHigh + 1] = unreached;
      } else {
        backwardHigh--;
      }
      for (let diagonal = backwardHigh; diagonal >= backwardLow; diagonal -= 2) {
        const up = backward[zero + diagonal - 1]!;
        const left = backward[zero + diagonal + 1]!;
        const from = up < left ? up : left - 1;
        let x = from;
        let y = from - diagonal;
        while (x > beforeStart && y > afterStart && before[x - 1] === after[y - 1]) {
          x--;
          y--;
        }
        steps += from - x;
        sawLongSnake ||= from - x > longSnake;
        backward[zero + diagonal] = x;
        if (!odd && forwardLow <= diagonal && diagonal <= forwardHigh && x <= forward[zero + diagonal]!) {
          return { before: x, after: y, exactLow: true, exactHigh: true };
        }
      }
      this.effort.spend(steps);
      if (exact) {
        continue;
      }
      const box = { beforeStart, beforeEnd, afterStart, afterEnd };
      if (sawLongSnake && cost > exactCost) {
        const split =
          this.#endOfForwardSnake(box, forwardLow, forwardHigh, forwardMiddle, cost) ??
          this.#endOfBackwardSnake(box, backwardLow, backwardHigh, backwardMiddle, cost);
        if (split !== null) {
          return split;
        }
      }
      if (cost >= this.#maxCost) {
        return this.#furthest(box, forwardLow, forwardHigh, backwardLow, backwardHigh);
      }
    }
  }

  /** The best point that the forward search reached through a long run of equal lines. */
  #endOfForwardSnake(box: Box, low: number, high: number, middle: number, cost: number): Split | null {
    let best = 0;
    let found: Split | null = null;
    for (let diagonal = high; diagonal >= low; diagonal -= 2) {
      const x = this.#forward[this.#zero + diagonal]!;
      const y = x - diagonal;
      const gain = x - box.beforeStart + (y - box.afterStart) - Math.abs(diagonal - middle);
      const inside =
        box.beforeStart + longSnake <= x && x < box.beforeEnd && box.afterStart + longSnake <= y && y < box.afterEnd;
      if (gain > 4 * cost && gain > best && inside && this.#equalRun(x - longSnake, y - longSnake)) {
        best = gain;
        found = { before: x, after: y, exactLow: true, exactHigh: false };
      }
    }
    return found;
  }

  #endOfBackwardSnake(box: Box, low: number, high: number, middle: number, cost: number): Split | null {
    let best = 0;
    let found: Split | null = null;
    for (let diagonal = high; diagonal >= low; diagonal -= 2) {
      const x = this.#backward[this.#zero + diagonal]!;
      const y = x - diagonal;
      const gain = box.beforeEnd - x + (box.afterEnd - y) - Math.abs(diagonal - middle);
      const inside =
        box.beforeStart < x && x <= box.beforeEnd - longSnake && box.afterStart < y && y <= box.afterEnd - longSnake;
      if (gain > 4 * cost && gain > best && inside && this.#equalRun(x, y)) {
        best = gain;
        found = { before: x, after: y, exactLow: false, exactHigh: true };
      }
    }
    return found;
  }

  #equalRun(x: number, y: number): boolean {
    for (let at = 0; at < longSnake; at++) {
      if (this.before[x + at] !== this.after[y + at]) {
        return false;
      }
    }
    return true;
  }

  /** The split when the search has cost enough: the point of either search that is furthest from its own corner. */
  #furthest(box: Box, forwardLow: number, forwardHigh: number, backwardLow: number, backwardHigh: number): Split {
    let forwardSum = -1;
    let forwardX = -1;
    for (let diagonal = forwardHigh; diagonal >= forwardLow; diagonal -= 2) {
      const x = Math.min(this.#forward[this.#zero + diagonal]!, box.beforeEnd, box.afterEnd + diagonal);
      if (forwardSum < 2 * x - diagonal) {
        forwardSum = 2 * x - diagonal;
        forwardX = x;
      }
    }
    let backwardSum = unreached;
    let backwardX = unreached;
    for (let diagonal = backwardHigh; diagonal >= backwardLow; diagonal -= 2) {
      const x = Math.max(this.#backward[this.#zero + diagonal]!, box.beforeStart, box.afterStart + diagonal);
      if (2 * x - diagonal < backwardSum) {
        backwardSum = 2 * x - diagonal;
        backwardX = x;
      }
    }
    return box.beforeEnd + box.afterEnd - backwardSum < forwardSum - (box.beforeStart + box.afterStart)
      ? { before: forwardX, after: forwardSum - forwardX, exactLow: true, exactHigh: false }
      : { before: backwardX, after: backwardSum - backwardX, exactLow: false, exactHigh: true };
  }
}

interface Box {
  readonly beforeStart: number;
  readonly beforeEnd: number;
  readonly afterStart: number;
  readonly afterEnd: number;
}

/** A power of two near the square root. */
export function roughRoot(value: number): number {
  let root = 1;
  for (let rest = value; rest > 0; rest >>= 2) {
    root *= 2;
  }
  return root;
}
