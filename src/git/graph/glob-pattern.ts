/** One step of a pattern. `dirs` stands for nothing or anything that ends in a slash. */
type Step = { readonly kind: "one"; readonly fits: (byte: number) => boolean } | { readonly kind: "star" | "any" | "dirs" };

const slash = 0x2f;

/** The named classes of POSIX for bytes, as first and last of ranges. */
const classes: ReadonlyMap<string, readonly number[]> = new Map([
  ["alnum", [48, 57, 65, 90, 97, 122]],
  ["alpha", [65, 90, 97, 122]],
  ["blank", [9, 9, 32, 32]],
  ["cntrl", [0, 31, 127, 127]],
  ["digit", [48, 57]],
  ["graph", [33, 126]],
  ["lower", [97, 122]],
  ["print", [32, 126]],
  ["punct", [33, 47, 58, 64, 91, 96, 123, 126]],
  ["space", [9, 13, 32, 32]],
  ["upper", [65, 90]],
  ["xdigit", [48, 57, 65, 70, 97, 102]],
]);

/**
 * A shell pattern as in gitignore(5): `*`, `?`, `[a-z]`, `\`, and in paths `**` for any number of directories; there `*`,
 * `?` and brackets do not match a slash. Works on bytes as latin1 text. All positions that the pattern may have come to
 * are followed at once, so that no pattern takes more time than its length times that of the text.
 */
export class GlobPattern {
  readonly #steps: Step[] = [];
  /** for patterns without special characters, which are most */
  readonly #literal: string | null;
  #never = false;

  /** isPath: a slash is special */
  constructor(pattern: string, isPath: boolean) {
    this.#literal = /[*?[\\]/.test(pattern) ? null : pattern;
    for (let at = 0; at < pattern.length && this.#literal === null; ) {
      at = this.#parseStep(pattern, at, isPath);
    }
  }

  matches(text: string): boolean {
    if (this.#literal !== null) {
      return text === this.#literal;
    }
    const steps = this.#steps;
    let current = this.#open(new Set([0]));
    for (let at = 0; at < text.length && current.size > 0; at++) {
      const byte = text.charCodeAt(at);
      const next = new Set<number>();
      for (const place of current) {
        const step = steps[place];
        if (step === undefined) {
          continue;
        }
        if (step.kind === "one") {
          if (step.fits(byte)) next.add(place + 1);
        } else if (step.kind === "any" || (step.kind === "star" && byte !== slash)) {
          next.add(place);
        } else if (step.kind === "dirs") {
          // Only a slash lets the pattern go on behind the directories.
          next.add(byte === slash ? place : -1 - place);
        }
      }
      for (const place of current) {
        if (place < 0) {
          next.add(byte === slash ? -1 - place : place);
        }
      }
      current = this.#open(next);
    }
    return !this.#never && current.has(steps.length);
  }

  /** Adds the places that are reached without taking a byte. A negative place is one inside the directories of `dirs`. */
  #open(places: Set<number>): Set<number> {
    for (const place of places) {
      const kind = this.#steps[place]?.kind;
      if (kind === "star" || kind === "any" || kind === "dirs") {
        places.add(place + 1);
      }
    }
    return places;
  }

  /** Reads one step; returns where the next begins. */
  #parseStep(pattern: string, at: number, isPath: boolean): number {
    const character = pattern[at];
    if (character === "*") {
      let end = at;
      while (pattern[end] === "*") {
        end++;
      }
      const atName = (at === 0 || pattern[at - 1] === "/") && (end === pattern.length || pattern[end] === "/");
      if (!isPath) {
        this.#steps.push({ kind: "any" });
      } else if (end - at < 2 || !atName) {
        this.#steps.push({ kind: "star" });
      } else if (end === pattern.length) {
        this.#steps.push({ kind: "any" });
      } else {
        this.#steps.push({ kind: "dirs" });
        return end + 1;
      }
      return end;
    }
    if (character === "?") {
      this.#one((byte) => !isPath || byte !== slash);
      return at + 1;
    }
    if (character === "[") {
      return this.#parseBracket(pattern, at + 1, isPath);
    }
    const literal = character === "\\" ? at + 1 : at;
    const code = pattern.charCodeAt(literal);
    this.#never ||= Number.isNaN(code);
    this.#one((byte) => byte === code);
    return literal + 1;
  }

  #parseBracket(pattern: string, start: number, isPath: boolean): number {
    let at = start;
    const negated = pattern[at] === "!" || pattern[at] === "^";
    at += negated ? 1 : 0;
    const within = new Set<number>();
    let previous = -1;
    for (let first = true; first || pattern[at] !== "]"; first = false) {
      if (at >= pattern.length) {
        // A bracket that does not end matches nothing.
        this.#never = true;
        return pattern.length;
      }
      const named = /^\[:([a-z]*):\]/.exec(pattern.slice(at, at + 16));
      if (named !== null) {
        const known = classes.get(named[1] ?? "");
        this.#never ||= known === undefined;
        const ranges = known ?? [];
        for (let index = 0; index < ranges.length; index += 2) {
          addRange(within, ranges[index]!, ranges[index + 1]!);
        }
        at += named[0].length;
        previous = -1;
        continue;
      }
      if (pattern[at] === "-" && previous >= 0 && at + 1 < pattern.length && pattern[at + 1] !== "]") {
        at += pattern[at + 1] === "\\" ? 2 : 1;
        addRange(within, previous, pattern.charCodeAt(at));
        previous = -1;
      } else {
        at += pattern[at] === "\\" ? 1 : 0;
        previous = pattern.charCodeAt(at);
        within.add(previous);
      }
      at++;
    }
    this.#one((byte) => within.has(byte) !== negated && (!isPath || byte !== slash));
    return at + 1;
  }

  #one(fits: (byte: number) => boolean): void {
    this.#steps.push({ kind: "one", fits });
  }
}

function addRange(set: Set<number>, first: number, last: number): void {
  for (let byte = first; byte <= last; byte++) {
    set.add(byte);
  }
}
