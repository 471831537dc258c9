import {
  anyByte,
  anyByteButSlash,
  literal,
  matcherOf,
  oneOf,
  slash,
  type Matcher,
  type Step,
} from "../../lib/pattern-steps.ts";

/**
 * Patterns of .gitattributes, .gitignore and sparse checkouts (gitignore(5), glob(7)) on paths of which each character is
 * a byte.
 */

/**
 * "apart": only a slash, or `**` as a whole name, matches a slash; "any": it is a character as others are, as in the paths that
 * git's commands take; "starred": a slash, or `**` wherever it stands, as in the lists of files that the family's templates have.
 */
type Slashes = "apart" | "any" | "starred";

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
  return { step: oneOf({ low: slashes === "any" ? bytes : bytes.with(slash, 0), high: null }), next: at + 1 };
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
      steps.push(literal(pattern.charCodeAt(at + 1)));
      at += 2;
    } else if (pattern[at] === "?") {
      steps.push(oneOf(slashes === "any" ? anyByte : anyByteButSlash));
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
        steps.push({ take: crosses ? "anything" : "name" });
        at = end;
        continue;
      }
      const standsAlone = end - at > 1 && (at === 0 || pattern[at - 1] === "/");
      if (standsAlone && pattern[end] === "/") {
        // One after another they mean what one means.
        if (steps.at(-1)?.take !== "inside") {
          steps.push({ take: "directories" }, { take: "inside" });
        }
        end++;
      } else {
        const crosses = standsAlone && (end === pattern.length || pattern.startsWith("\\/", end));
        steps.push({ take: crosses ? "anything" : "name" });
      }
      at = end;
    } else {
      steps.push(literal(byte));
      at++;
    }
  }
  return steps;
}

/** Whether a pattern matches the whole of a path, or of the part of one from `from` to `to`. */
export type Glob = Matcher;

export function compileGlob(pattern: string, slashes: Slashes = "apart"): Glob {
  if (literalLength(pattern) === pattern.length) {
    return (path, from = 0, to = path.length) => to - from === pattern.length && path.startsWith(pattern, from);
  }
  const steps = compile(pattern, slashes);
  return steps === null ? () => false : matcherOf(steps);
}
