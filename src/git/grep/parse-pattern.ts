import { InvalidInput } from "../../lib/errors.ts";
import { isWordByte, lineFeed, singleByte, withBothCases, type Assertion, type PatternNode } from "./pattern-node.ts";

export interface PatternOptions {
  readonly kind: "fixed" | "regular";
  /** ASCII letters only: other characters are the bytes that they are */
  readonly ignoreCase: boolean;
  /** A match must be no part of a longer word: neither behind nor before a letter, digit or underscore. */
  readonly wholeWord: boolean;
}

const maxPatternBytes = 1000;
const maxRepeats = 1000;
const maxDepth = 100;

/** Members among the bytes below 128, as first and last of ranges. */
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

const assertions: Readonly<Record<string, Assertion>> = {
  "<": "word-start",
  ">": "word-end",
  b: "word-edge",
  B: "no-word-edge",
};

/**
 * Reads what is searched for; each line of it is a pattern of its own, of which one has to fit. Regular expressions are
 * POSIX's extended ones with `\w \W \s \S \b \B \< \>`, as `git grep -E` takes them in the C locale. A reference to a
 * group (`\1`) is refused: no search in linear time knows it. Throws InvalidInput.
 */
export function parsePattern(text: string, { kind, ignoreCase, wholeWord }: PatternOptions): PatternNode {
  const bytes = Buffer.from(text).toString("latin1");
  if (bytes.length > maxPatternBytes) {
    throw new InvalidInput(`Cannot search for a pattern of more than ${maxPatternBytes} bytes`, "pattern");
  }
  const patterns = bytes
    .split("\n")
    .map((line) => (kind === "fixed" ? literal(line, ignoreCase) : new Parser(line, ignoreCase).parse()));
  const pattern: PatternNode = patterns.length === 1 ? patterns[0]! : { kind: "choice", parts: patterns };
  return wholeWord ? asWord(pattern) : pattern;
}

/** One sequence where the pattern is one: what bytes stand in every match can be seen from there. */
function asWord(pattern: PatternNode): PatternNode {
  const parts = pattern.kind === "sequence" ? pattern.parts : [pattern];
  const [before, after] = [
    { kind: "assertion", assertion: "no-word-before" },
    { kind: "assertion", assertion: "no-word-after" },
  ] as const;
  return { kind: "sequence", parts: [before, ...parts, after] };
}

function literal(text: string, ignoreCase: boolean): PatternNode {
  return {
    kind: "sequence",
    parts: Array.from(text, (character) => folded(singleByte(character.charCodeAt(0)), ignoreCase)),
  };
}

function folded(node: PatternNode, ignoreCase: boolean): PatternNode {
  return ignoreCase && node.kind === "set" ? { kind: "set", bytes: withBothCases(node.bytes) } : node;
}

class Parser {
  #at = 0;
  #depth = 0;

  constructor(
    private readonly text: string,
    private readonly ignoreCase: boolean,
  ) {}

  parse(): PatternNode {
    const node = this.#choice();
    if (this.#at < this.text.length) {
      throw this.#refused("a parenthesis is not closed");
    }
    return node;
  }

  #choice(): PatternNode {
    const parts = [this.#sequence()];
    while (this.text[this.#at] === "|") {
      this.#at++;
      parts.push(this.#sequence());
    }
    return parts.length === 1 ? parts[0]! : { kind: "choice", parts };
  }

  #sequence(): PatternNode {
    const parts: PatternNode[] = [];
    for (;;) {
      const character = this.text[this.#at];
      // A parenthesis that closes nothing stands for itself.
      if (character === undefined || character === "|" || (character === ")" && this.#depth > 0)) {
        break;
      }
      parts.push(this.#repeated());
    }
    return parts.length === 1 ? parts[0]! : parts.length === 0 ? { kind: "empty" } : { kind: "sequence", parts };
  }

  #repeated(): PatternNode {
    let part = this.#atom();
    for (;;) {
      const range = this.#range();
      if (range === null) {
        return part;
      }
      if (part.kind === "assertion") {
        throw this.#refused("there is nothing to repeat");
      }
      part = { kind: "repeat", part, ...range };
    }
  }

  /** How often the last piece may stand there; null where nothing says it. */
  #range(): { least: number; most: number | null } | null {
    const character = this.text[this.#at];
    if (character === "*" || character === "+" || character === "?") {
      this.#at++;
      return { least: character === "+" ? 1 : 0, most: character === "?" ? 1 : null };
    }
    if (character !== "{") {
      return null;
    }
    const match = /^\{(\d{0,5})(,?)(\d{0,5})\}/.exec(this.text.slice(this.#at, this.#at + 14));
    const [whole = "", from = "", comma = "", to = ""] = match ?? [];
    const least = from === "" ? 0 : Number(from);
    const most = comma === "" ? least : to === "" ? null : Number(to);
    if (match === null || (from === "" && comma === "") || least > (most ?? least)) {
      throw this.#refused("a number of repetitions cannot be read");
    }
    if (Math.max(least, most ?? 0) > maxRepeats) {
      throw this.#refused(`more than ${maxRepeats} repetitions cannot be asked for`);
    }
    this.#at += whole.length;
    return { least, most };
  }

  #atom(): PatternNode {
    const character = this.text[this.#at]!;
    this.#at++;
    switch (character) {
      case "(":
        return this.#group();
      case "[":
        return this.#bracket();
      case "\\":
        return this.#escape();
      case "^":
        return { kind: "assertion", assertion: "line-start" };
      case "$":
        return { kind: "assertion", assertion: "line-end" };
      case ".":
        return setOf((byte) => byte !== lineFeed && byte !== 0);
      case "*":
      case "+":
      case "?":
      case "{":
        throw this.#refused("there is nothing to repeat");
      default:
        return folded(singleByte(character.charCodeAt(0)), this.ignoreCase);
    }
  }

  #group(): PatternNode {
    if (++this.#depth > maxDepth) {
      throw this.#refused(`more than ${maxDepth} parentheses are in each other`);
    }
    const node = this.#choice();
    this.#depth--;
    if (this.text[this.#at] !== ")") {
      throw this.#refused("a parenthesis is not closed");
    }
    this.#at++;
    return node.kind === "assertion" ? { kind: "sequence", parts: [node] } : node;
  }

  #escape(): PatternNode {
    const character = this.text[this.#at];
    this.#at++;
    if (character === undefined) {
      throw this.#refused("a backslash is at its end");
    }
    if (/[1-9]/.test(character)) {
      throw this.#refused("references to groups are not understood");
    }
    if (character === "`" || character === "'") {
      throw this.#refused(`"\\${character}" is not understood`);
    }
    const assertion = assertions[character];
    if (assertion !== undefined) {
      return { kind: "assertion", assertion };
    }
    switch (character) {
      case "w":
        return setOf(isWordByte);
      case "W":
        return setOf((byte) => !isWordByte(byte) && byte !== lineFeed);
      case "s":
        return setOf((byte) => isSpace(byte) && byte !== lineFeed);
      case "S":
        return setOf((byte) => !isSpace(byte));
      default:
        return folded(singleByte(character.charCodeAt(0)), this.ignoreCase);
    }
  }

  #bracket(): PatternNode {
    const negated = this.text[this.#at] === "^";
    this.#at += negated ? 1 : 0;
    const bytes = new Uint8Array(256);
    for (let first = true; first || this.text[this.#at] !== "]"; first = false) {
      const known = /^\[:([a-z]*):\]/.exec(this.text.slice(this.#at, this.#at + 16));
      if (known !== null) {
        this.#at += known[0].length;
        this.#addClass(bytes, known[1]!);
        continue;
      }
      const start = this.#bracketByte();
      const isRange =
        this.text[this.#at] === "-" && this.text[this.#at + 1] !== "]" && this.text[this.#at + 1] !== undefined;
      this.#at += isRange ? 1 : 0;
      const end = isRange ? this.#bracketByte() : start;
      if (end < start) {
        throw this.#refused("a range in brackets ends before it begins");
      }
      bytes.fill(1, start, end + 1);
    }
    this.#at++;
    const set = this.ignoreCase ? withBothCases(bytes) : bytes;
    return setOf((byte) => (set[byte] === 1) !== negated && byte !== lineFeed);
  }

  #addClass(bytes: Uint8Array, name: string): void {
    const ranges = classes.get(name);
    if (ranges === undefined) {
      throw this.#refused(`there is no class "${name}"`);
    }
    for (let at = 0; at < ranges.length; at += 2) {
      bytes.fill(1, ranges[at], ranges[at + 1]! + 1);
    }
  }

  /** One byte in brackets, where a backslash stands for itself; it may be written as `[.x.]` or `[=x=]`. */
  #bracketByte(): number {
    const written = /^\[([.=])(.)\1\]/s.exec(this.text.slice(this.#at, this.#at + 5));
    if (written !== null) {
      this.#at += written[0].length;
      return written[2]!.charCodeAt(0);
    }
    const byte = this.text.charCodeAt(this.#at);
    if (Number.isNaN(byte)) {
      throw this.#refused("a bracket is not closed");
    }
    this.#at++;
    return byte;
  }

  #refused(reason: string): InvalidInput {
    return new InvalidInput(`Cannot search for "${Buffer.from(this.text, "latin1").toString()}": ${reason}`, "pattern");
  }
}

function isSpace(byte: number): boolean {
  return (byte >= 9 && byte <= 13) || byte === 32;
}

function setOf(test: (byte: number) => boolean): PatternNode {
  return { kind: "set", bytes: Uint8Array.from({ length: 256 }, (_, byte) => (test(byte) ? 1 : 0)) };
}
