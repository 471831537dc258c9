/**
 * Matches patterns that strangers write against paths and names that strangers choose. A pattern is a list of steps. All
 * places in the list that the text could have reached go forward together, so a match takes at most the product of both
 * lengths. The three kinds of patterns compile to these steps: paths in git (`git/tree/glob.ts`), names of refs and files
 * in rules (`lib/name-pattern.ts`), and sections of .editorconfig (`editorconfig/compile-pattern.ts`).
 */

/**
 * The part of the text that a step matches. "one": a character of a set. "name": any number of characters other than a
 * slash. "anything": any number of characters. "directories": nothing, or whole directories with the slash after them;
 * "inside" follows it, and takes their rest up to a slash. "jump": nothing, the match goes on at each of `to`.
 */
type Take = "one" | "name" | "anything" | "directories" | "inside" | "jump";

export interface Step {
  readonly take: Take;
  /** For "one". */
  readonly set?: CharacterSet;
  /** For "jump": indexes of steps. A compiler fills it while it reads the alternatives. */
  readonly to?: number[];
}

/** A set of code points. */
export interface CharacterSet {
  /** A flag for each code point below 256. */
  readonly low: Uint8Array;
  /** Whether the set has a code point of 256 or more; null if it has none of them. */
  readonly high: ((code: number) => boolean) | null;
}

export const slash = 0x2f;

const allLow = new Uint8Array(256).fill(1);

export const anyButSlash: CharacterSet = { low: allLow.with(slash, 0), high: () => true };
/** For texts whose characters are bytes. */
export const anyByte: CharacterSet = { low: allLow, high: null };
export const anyByteButSlash: CharacterSet = { low: allLow.with(slash, 0), high: null };

export function oneOf(set: CharacterSet): Step {
  return { take: "one", set };
}

const noneLow = new Uint8Array(256);
/** Patterns may be long: they share the sets of their characters. */
const lowLiterals = Array.from({ length: 256 }, (_, code) => oneOf({ low: noneLow.with(code, 1), high: null }));

/** The step for one character that stands for itself. */
export function literal(code: number): Step {
  return lowLiterals[code] ?? oneOf({ low: noneLow, high: (other) => other === code });
}

/** The set of code points in ranges, both ends included. A negated set has all others. It never has a slash. */
export function setOfRanges(
  ranges: readonly (readonly [from: number, to: number])[],
  isNegated: boolean,
): CharacterSet {
  const low = new Uint8Array(256);
  for (const [from, to] of ranges) {
    low.fill(1, Math.min(from, 256), Math.min(to + 1, 256));
  }
  const isHigh = isNegated || ranges.some(([from, to]) => to >= 256 && to >= from);
  const flags = isNegated ? low.map((flag) => 1 - flag) : low;
  flags[slash] = 0;
  return { low: flags, high: isHigh ? isIn(ranges, isNegated) : null };
}

/** Whether a code point is in ranges, or in none of them. It halves their number at each step: patterns have thousands. */
function isIn(ranges: readonly (readonly [from: number, to: number])[], isNegated: boolean): (code: number) => boolean {
  const sorted = ranges.filter(([from, to]) => from <= to).toSorted(([one], [other]) => one - other);
  const starts = sorted.map(([from]) => from);
  let last = -1;
  /** By range: the last code point of it and those before. */
  const ends = sorted.map(([, to]) => (last = Math.max(last, to)));
  return (code) => {
    let [from, to] = [0, starts.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      [from, to] = starts[middle]! <= code ? [middle + 1, to] : [from, middle];
    }
    return (from > 0 && ends[from - 1]! >= code) !== isNegated;
  };
}

/**
 * Appends a choice: the text goes on with one of several alternatives. Each call of `appendNext` appends the steps of the next
 * one, and says whether there are more.
 */
export function appendChoice(steps: Step[], appendNext: () => boolean): void {
  const choice: number[] = [];
  const exits: number[][] = [];
  steps.push({ take: "jump", to: choice });
  for (let hasMore = true; hasMore;) {
    choice.push(steps.length);
    hasMore = appendNext();
    const exit: number[] = [];
    exits.push(exit);
    steps.push({ take: "jump", to: exit });
  }
  for (const exit of exits) {
    exit.push(steps.length);
  }
}

let work = 0;

/** How many places all patterns of this thread have visited: ten to a hundred million a second. */
export function patternWork(): number {
  return work;
}

/** The places that a text has reached, each once. */
class Places {
  readonly list: Int32Array;
  length = 0;
  /** By place: the round in which it was reached last. */
  readonly #reached: Int32Array;
  #round = 0;
  /** The last star reached that takes slashes, and the last that does not; -1 for none. */
  #anything = -1;
  #name = -1;

  constructor(private readonly steps: readonly Step[]) {
    this.list = new Int32Array(steps.length + 1);
    this.#reached = new Int32Array(steps.length + 1);
  }

  clear(): void {
    this.length = 0;
    this.#round++;
    this.#anything = -1;
    this.#name = -1;
  }

  /** Adds a place, and those that are reached from it without a character. */
  reach(place: number): void {
    const { steps } = this;
    for (let at = place; this.#reached[at] !== this.#round;) {
      this.#reached[at] = this.#round;
      const take = at < steps.length ? steps[at]!.take : "one";
      if (take === "jump") {
        const to = steps[at]!.to!;
        work += to.length;
        for (let index = 1; index < to.length; index++) {
          this.reach(to[index]!);
        }
        at = to[0]!;
        continue;
      }
      if (take === "directories") {
        at++;
        continue;
      }
      this.list[this.length++] = at;
      if (take === "inside") {
        this.#anything = Math.max(this.#anything, at);
        at++;
      } else if (take === "anything") {
        this.#anything = Math.max(this.#anything, at++);
      } else if (take === "name") {
        this.#name = Math.max(this.#name, at++);
      } else {
        return;
      }
    }
  }

  /** Stays inside of directories, whose next one has not begun. */
  stay(place: number): void {
    if (this.#reached[place] !== this.#round) {
      this.#reached[place] = this.#round;
      this.list[this.length++] = place;
      this.#anything = Math.max(this.#anything, place);
    }
  }

  has(place: number): boolean {
    return this.#reached[place] === this.#round;
  }

  /**
   * Drops places that reach nothing which a later star does not reach as well: the star takes whatever leads to it. A star
   * that takes no slash replaces only those places from which no slash leads to it. So mostly one or two places are left.
   */
  prune(parts: Int32Array): void {
    const from = this.#anything;
    const name = this.#name;
    if (this.length < 3 || (from < 0 && name < 0)) {
      return;
    }
    const part = name < 0 ? 0 : parts[name]!;
    let kept = 0;
    for (let index = 0; index < this.length; index++) {
      const place = this.list[index]!;
      if (place >= from && (place < part || place >= name)) {
        this.list[kept++] = place;
      }
    }
    this.length = kept;
  }
}

/** For each place the first one from which it is reached without a slash. */
function partsOf(steps: readonly Step[]): Int32Array {
  const parts = new Int32Array(steps.length + 1);
  steps.forEach(({ take, set }, place) => {
    const takesSlash = take === "one" ? set!.low[slash] === 1 : take !== "name";
    parts[place + 1] = takesSlash ? place + 1 : parts[place]!;
  });
  return parts;
}

/** Whether a pattern matches the whole of a text, or of the part of one between `from` and `to`. */
export type Matcher = (text: string, from?: number, to?: number) => boolean;

/** Compiles steps. A matcher must not be called by itself. */
export function matcherOf(steps: readonly Step[]): Matcher {
  const [first, ...others] = steps;
  if (
    (first?.take === "name" || first?.take === "anything") &&
    others.every(({ take, set }) => take === "one" && set!.high === null)
  ) {
    return endsWith(others, first.take === "anything");
  }
  const hasJumps = steps.some(({ take }) => take === "jump");
  const parts = hasJumps ? null : partsOf(steps);
  const leastLength = hasJumps ? 0 : steps.filter(({ take }) => take === "one").length;
  let now = new Places(steps);
  let next = new Places(steps);
  return (text, from = 0, to = text.length) => {
    if (to - from < leastLength) {
      return false;
    }
    now.clear();
    now.reach(0);
    for (let at = from; at < to; at++) {
      let code = text.charCodeAt(at);
      if (code >= 0xd800 && code < 0xdc00) {
        code = text.codePointAt(at)!;
        at += code > 0xffff ? 1 : 0;
      }
      next.clear();
      work += now.length;
      for (let index = 0; index < now.length; index++) {
        const place = now.list[index]!;
        if (place === steps.length) {
          continue;
        }
        const step = steps[place]!;
        if (step.take === "one") {
          const set = step.set!;
          if (code < 256 ? set.low[code] === 1 : set.high !== null && set.high(code)) {
            next.reach(place + 1);
          }
        } else if (step.take === "inside") {
          next.stay(place);
          if (code === slash) {
            next.reach(place + 1);
          }
        } else if (code !== slash || step.take === "anything") {
          next.reach(place);
        }
      }
      if (next.length === 0) {
        return false;
      }
      if (parts !== null) {
        next.prune(parts);
      }
      [now, next] = [next, now];
    }
    return now.has(steps.length);
  };
}

/** For a star before single characters, as most patterns are: `*.txt`. */
function endsWith(steps: readonly Step[], crossesSlashes: boolean): Matcher {
  return (text, from = 0, to = text.length) => {
    const start = to - steps.length;
    for (let at = to - 1; at >= start; at--) {
      if (at < from || steps[at - start]!.set!.low[text.charCodeAt(at)] !== 1) {
        return false;
      }
    }
    return crossesSlashes || start === from || text.lastIndexOf("/", start - 1) < from;
  };
}
