/**
 * Patterns of .gitattributes, .gitignore and sparse checkouts (gitignore(5), glob(7)) on paths of which each character is
 * a byte. They come from whoever pushes, so matching takes time in proportion to pattern and path, never more: the
 * pattern becomes a list of steps, and all places in it that the path could have reached go forward together.
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

/** "apart": only a slash, or `**`, matches a slash; "any": it is a character as others are, as in the paths that git's commands take. */
type Slashes = "apart" | "any";

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
  return { step: { take: Take.Byte, bytes: slashes === "apart" ? bytes.with(slash, 0) : bytes }, next: at + 1 };
}

/** The steps of a pattern; null when nothing can match it. */
function compile(pattern: string, slashes: Slashes): Step[] | null {
  const steps: Step[] = [];
  for (let at = 0; at < pattern.length; ) {
    const byte = pattern.charCodeAt(at);
    if (byte === backslash) {
      if (at + 1 >= pattern.length) {
        return null;
      }
      steps.push(single(pattern.charCodeAt(at + 1)));
      at += 2;
    } else if (pattern[at] === "?") {
      steps.push({ take: Take.Byte, bytes: slashes === "apart" ? anyInName : anyByte });
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
      if (slashes === "any") {
        steps.push({ take: Take.Anything, bytes: null });
        at = end;
        continue;
      }
      const standsAlone = end - at > 1 && (at === 0 || pattern[at - 1] === "/");
      if (standsAlone && pattern[end] === "/") {
        steps.push({ take: Take.Directories, bytes: null }, { take: Take.Inside, bytes: null });
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

/** Marks a place as reached, and those that are reached from it by taking nothing. */
function reach(steps: readonly Step[], place: number, reached: Uint8Array): void {
  for (let at = place; reached[at] === 0; ) {
    reached[at] = 1;
    const take = at < steps.length ? steps[at]!.take : Take.Byte;
    if (take === Take.Directories) {
      reached[at + 1] = 1;
      at += 2;
    } else if (take === Take.Name || take === Take.Anything) {
      at++;
    } else {
      return;
    }
  }
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
  let now = new Uint8Array(steps.length + 1);
  let next = new Uint8Array(steps.length + 1);
  return (path, from = 0, to = path.length) => {
    now.fill(0);
    reach(steps, 0, now);
    for (let at = from; at < to; at++) {
      const byte = path.charCodeAt(at);
      next.fill(0);
      let alive = false;
      for (let place = 0; place < steps.length; place++) {
        if (now[place] === 0) {
          continue;
        }
        const step = steps[place]!;
        switch (step.take) {
          case Take.Byte:
            if (step.bytes![byte] === 1) {
              reach(steps, place + 1, next);
              alive = true;
            }
            break;
          case Take.Name:
          case Take.Anything:
            if (byte !== slash || step.take === Take.Anything) {
              reach(steps, place, next);
              alive = true;
            }
            break;
          case Take.Inside:
            next[place] = 1;
            alive = true;
            if (byte === slash) {
              reach(steps, place + 1, next);
            }
            break;
          case Take.Directories:
            // What follows is reached from here without taking anything.
            break;
        }
      }
      if (!alive) {
        return false;
      }
      [now, next] = [next, now];
    }
    return now[steps.length] === 1;
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
