/**
 * Patterns of .gitattributes, .gitignore and sparse checkouts (gitignore(5), glob(7)) on paths of which each character is
 * a byte. They come from whoever pushes, so matching takes time in proportion to pattern and path, never more: the
 * pattern becomes a list of steps, and all places in it that the path could have reached go forward together. Of these the
 * ones before a star are let go as soon as the star is reached, which can do all that they could; so mostly one or two are
 * left. What matching has cost is counted (`globWork`), for those who hold many patterns against many paths.
 */

/** What one step takes. */
const enum Take {
  /** one byte of a set */
  Byte,
  /** any number of bytes but no slash: `*` */
  Name,
  /** any number of bytes: `**` at the end, or before an escaped slash */
  Anything,
  /** nothing, or whole directories with the slash after them: the `**` and slash of a pattern */
  Directories,
  /** inside of such directories, until a slash */
  Inside,
}

interface Step {
  readonly take: Take;
  /** 256 flags, for Take.Byte */
  readonly bytes: Uint8Array | null;
}

/**
 * "apart": only a slash, or `**` as a whole name, matches a slash; "any": it is a character as others are, as in the paths that
 * git's commands take; "starred": a slash, or `**` wherever it stands, as in the lists of files that the family's templates have.
 */
type Slashes = "apart" | "any" | "starred";

const slash = 0x2f;
const backslash = 0x5c;

/** Members among the bytes below 128. */
const classes: Readonly<Record<string, RegExp>> = {
  alnum: /[A-Za-z0-9]/,
  alpha: /[A-Za-z]/,
  blank: /[ \t]/,
  cntrl: /[^ -~]/,
  digit: /[0-9]/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /[ \t\n\v\f\r]/,
  upper: /[A-Z]/,
  xdigit: /[A-Fa-f0-9]/,
};

/** Number of bytes before the first character that means more than itself. */
export function literalLength(pattern: string): number {
  const special = pattern.search(/[*?[\\]/);
  return special < 0 ? pattern.length : special;
}

function single(byte: number): Step {
  const bytes = new Uint8Array(256);
  bytes[byte] = 1;
  return { take: Take.Byte, bytes };
}

const anyByte = new Uint8Array(256).fill(1);
const anyInName = anyByte.with(slash, 0);

/** Reads the set that begins behind a `[`; null when it does not end or names an unknown class, so that nothing matches. */
function readSet(pattern: string, start: number, slashes: Slashes): { step: Step; next: number } | null {
  let at = start;
  const negated = pattern[at] === "!" || pattern[at] === "^";
  at += negated ? 1 : 0;
  const bytes = new Uint8Array(256);
  let previous = -1;
  for (let first = true; first || pattern[at] !== "]"; first = false) {
    let byte = pattern.charCodeAt(at);
    if (at >= pattern.length) {
      return null;
    }
    const name = pattern.startsWith("[:", at) ? (/^\[:([^\]]*):\]/.exec(pattern.slice(at))?.[1] ?? null) : null;
    if (name !== null) {
      const members = classes[name];
      if (members === undefined) {
        return null;
      }
      for (let member = 0; member < 128; member++) {
        bytes[member]! |= members.test(String.fromCharCode(member)) ? 1 : 0;
      }
      at += name.length + 4;
      previous = -1;
      continue;
    }
    const isRange = pattern[at] === "-" && previous >= 0 && at + 1 < pattern.length && pattern[at + 1] !== "]";
    at += isRange ? 1 : 0;
    byte = pattern.charCodeAt(at);
    if (byte === backslash) {
      byte = pattern.charCodeAt(++at);
      if (at >= pattern.length) {
        return null;
      }
    }
    bytes.fill(1, isRange ? Math.min(previous, byte + 1) : byte, byte + 1);
    previous = isRange ? -1 : byte;
    at++;
  }
  if (negated) {
    bytes.forEach((flag, byte) => (bytes[byte] = flag ^ 1));
  }
  return { step: { take: Take.Byte, bytes: slashes === "any" ? bytes : bytes.with(slash, 0) }, next: at + 1 };
}

/** The steps of a pattern; null when nothing can match it. */
function compile(pattern: string, slashes: Slashes): Step[] | null {
  const steps: Step[] = [];
  for (let at = 0; at < pattern.length;) {
    const byte = pattern.charCodeAt(at);
    if (byte === backslash) {
      if (at + 1 >= pattern.length) {
        return null;
      }
      steps.push(single(pattern.charCodeAt(at + 1)));
      at += 2;
    } else if (pattern[at] === "?") {
      steps.push({ take: Take.Byte, bytes: slashes === "any" ? anyByte : anyInName });
      at++;
    } else if (pattern[at] === "[") {
      const set = readSet(pattern, at + 1, slashes);
      if (set === null) {
        return null;
      }
      steps.push(set.step);
      at = set.next;
    } else if (pattern[at] === "*") {
      let end = at + 1;
      while (pattern[end] === "*") {
        end++;
      }
      if (slashes !== "apart") {
        const crosses = slashes === "any" || end - at > 1;
        steps.push({ take: crosses ? Take.Anything : Take.Name, bytes: null });
        at = end;
        continue;
      }
      const standsAlone = end - at > 1 && (at === 0 || pattern[at - 1] === "/");
      if (standsAlone && pattern[end] === "/") {
        // One after another they mean what one means.
        if (steps.at(-1)?.take !== Take.Inside) {
          steps.push({ take: Take.Directories, bytes: null }, { take: Take.Inside, bytes: null });
        }
        end++;
      } else {
        const crosses = standsAlone && (end === pattern.length || pattern.startsWith("\\/", end));
        steps.push({ take: crosses ? Take.Anything : Take.Name, bytes: null });
      }
      at = end;
    } else {
      steps.push(single(byte));
      at++;
    }
  }
  return steps;
}

/** Places that a path has been followed to, each once. */
class Places {
  readonly list: Int32Array;
  length = 0;
  /** by place: the round in which it was reached last */
  readonly #reached: Int32Array;
  #round = 0;
  /** the last star reached that takes slashes, too, and the last that does not; -1 for none */
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

  /** Marks a place as reached, and those that are reached from it by taking nothing. */
  reach(place: number): void {
    const { steps } = this;
    for (let at = place; this.#reached[at] !== this.#round;) {
      this.#reached[at] = this.#round;
      const take = at < steps.length ? steps[at]!.take : Take.Byte;
      if (take === Take.Directories) {
        at++;
        continue;
      }
      this.list[this.length++] = at;
      if (take === Take.Inside) {
        this.#anything = Math.max(this.#anything, at);
        at++;
      } else if (take === Take.Anything) {
        this.#anything = Math.max(this.#anything, at++);
      } else if (take === Take.Name) {
        this.#name = Math.max(this.#name, at++);
      } else {
        return;
      }
    }
  }

  /** Goes on inside of directories, of which the next one has not begun. */
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
   * Lets go of places from which nothing can be reached that is not reached from a star behind them as well: whatever leads
   * from there to the star, the star can take. One that takes no slash stands for those from which no slash leads to it.
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
  steps.forEach(({ take, bytes }, place) => {
    const takesSlash = take === Take.Byte ? bytes![slash] === 1 : take !== Take.Name;
    parts[place + 1] = takesSlash ? place + 1 : parts[place]!;
  });
  return parts;
}

let work = 0;

/** How many places all patterns of this thread have gone through so far: some hundred million a second. */
export function globWork(): number {
  return work;
}

/** A compiled pattern: whether it matches the whole of a path, or of the rest of one from `from` to `to`. */
export type Glob = (path: string, from?: number, to?: number) => boolean;

export function compileGlob(pattern: string, slashes: Slashes = "apart"): Glob {
  if (literalLength(pattern) === pattern.length) {
    return (path, from = 0, to = path.length) => to - from === pattern.length && path.startsWith(pattern, from);
  }
  const steps = compile(pattern, slashes);
  if (steps === null) {
    return () => false;
  }
  const [first, ...others] = steps;
  if ((first?.take === Take.Name || first?.take === Take.Anything) && others.every(({ take }) => take === Take.Byte)) {
    return endsWith(others, first.take === Take.Anything);
  }
  const parts = partsOf(steps);
  const leastBytes = steps.filter(({ take }) => take === Take.Byte).length;
  let now = new Places(steps);
  let next = new Places(steps);
  return (path, from = 0, to = path.length) => {
    if (to - from < leastBytes) {
      return false;
    }
    now.clear();
    now.reach(0);
    for (let at = from; at < to; at++) {
      const byte = path.charCodeAt(at);
      next.clear();
      work += now.length;
      for (let index = 0; index < now.length; index++) {
        const place = now.list[index]!;
        if (place === steps.length) {
          continue;
        }
        const step = steps[place]!;
        if (step.take === Take.Byte) {
          if (step.bytes![byte] === 1) {
            next.reach(place + 1);
          }
        } else if (step.take === Take.Inside) {
          next.stay(place);
          if (byte === slash) {
            next.reach(place + 1);
          }
        } else if (byte !== slash || step.take === Take.Anything) {
          next.reach(place);
        }
      }
      if (next.length === 0) {
        return false;
      }
      next.prune(parts);
      [now, next] = [next, now];
    }
    return now.has(steps.length);
  };
}

/** For `*` and what stands for so many bytes behind it, as most patterns of .gitattributes are: `*.txt`. */
function endsWith(steps: readonly Step[], crossesSlashes: boolean): Glob {
  return (path, from = 0, to = path.length) => {
    const start = to - steps.length;
    for (let at = to - 1; at >= start; at--) {
      if (at < from || steps[at - start]!.bytes![path.charCodeAt(at)] !== 1) {
        return false;
      }
    }
    return crossesSlashes || start === from || path.lastIndexOf("/", start - 1) < from;
  };
}
