/**
 * Patterns of sections (https://spec.editorconfig.org/#glob-expressions). They come from whoever pushes, so matching takes
 * time in proportion to pattern and path, never more: each part takes all places that the path could have reached forward
 * together. A regular expression would try one after another, for hours if it is made for that, and no thread that does
 * so can be ended.
 */

/** Whether a pattern fits a path, which begins with a slash. */
export type Pattern = (path: string) => boolean;

/** The places in a path that may have been reached: a flag before each character, and one behind the last. */
type Places = Uint8Array;

/** A part of a pattern: from the places where it may begin to those where it may end. */
type Part = (path: readonly string[], from: Places) => Places;

/** The specification wants 1,024 at least; longer patterns fit nothing. */
const mostCharacters = 4096;
/** of a number in a path, with its sign */
const mostDigits = 20;
/** of `1..9` and its first brace */
const mostRange = 2 * mostDigits + 3;
const wholeNumber = /^[+-]?(?:0|[1-9][0-9]*)$/;
const numberRange = /^([+-]?[0-9]+)\.\.([+-]?[0-9]+)$/;

/** `pattern` is the text between the brackets of the section. */
export function compilePattern(pattern: string): Pattern {
  const slash = pattern.indexOf("/");
  const whole = slash === 0 ? pattern : slash < 0 ? `/**/${pattern}` : `/${pattern}`;
  const characters = Array.from(whole);
  if (characters.length > mostCharacters) {
    return () => false;
  }
  const part = new Parser(characters).sequence(0, characters.length);
  return (path) => {
    const read = Array.from(path);
    const from = new Uint8Array(read.length + 1);
    from[0] = 1;
    return part(read, from)[read.length] === 1;
  };
}

class Parser {
  /** where the brace ends that begins there */
  readonly #closing = new Map<number, number>();

  constructor(private readonly pattern: readonly string[]) {
    const open: number[] = [];
    for (let at = 0; at < pattern.length; at++) {
      if (pattern[at] === "\\") {
        at++;
      } else if (pattern[at] === "{") {
        open.push(at);
      } else if (pattern[at] === "}" && open.length > 0) {
        this.#closing.set(open.pop()!, at);
      }
    }
  }

  /** What stands between two places of the pattern. */
  sequence(start: number, end: number): Part {
    const parts: Part[] = [];
    for (let at = start; at < end;) {
      const [part, next] = this.#one(at, end);
      parts.push(part);
      at = next;
    }
    return (path, from) => {
      let places = from;
      for (const part of parts) {
        if (!places.includes(1)) {
          break;
        }
        places = part(path, places);
      }
      return places;
    };
  }

  /** The part that begins there, and where the next one does. */
  #one(at: number, end: number): [Part, number] {
    const character = this.pattern[at]!;
    if (character === "\\" && at + 1 < end) {
      return [literal(this.pattern[at + 1]!), at + 2];
    }
    if (this.#says("/**/", at, end)) {
      return [directories, at + 4];
    }
    if (this.#says("**", at, end)) {
      return [many(() => true), at + 2];
    }
    if (character === "*") {
      return [many(isInName), at + 1];
    }
    if (character === "?") {
      return [single(isInName), at + 1];
    }
    if (character === "[") {
      return this.#set(at, end);
    }
    return character === "{" ? this.#braces(at, end) : [literal(character), at + 1];
  }

  #says(text: string, at: number, end: number): boolean {
    return at + text.length <= end && this.pattern.slice(at, at + text.length).join("") === text;
  }

  /** `[ab]`, `[a-z]`, `[!ab]`; a bracket stands for itself if nothing closes it, or if a slash does not let it. */
  #set(at: number, end: number): [Part, number] {
    const isNegative = this.pattern[at + 1] === "!";
    const members: string[] = [];
    const ranges: [string, string][] = [];
    const first = at + (isNegative ? 2 : 1);
    for (let next = first; next < end; next++) {
      const character = this.pattern[next]!;
      if (character === "/") {
        break;
      }
      if (character === "]" && next > first) {
        const isMember = (one: string): boolean =>
          members.includes(one) || ranges.some(([low, high]) => low <= one && one <= high);
        return [single((one) => one !== "/" && isMember(one) !== isNegative), next + 1];
      }
      if (character === "\\" && next + 1 < end) {
        members.push(this.pattern[++next]!);
      } else if (this.pattern[next + 1] === "-" && next + 2 < end && !["]", "/"].includes(this.pattern[next + 2]!)) {
        ranges.push([character, this.pattern[next + 2]!]);
        next += 2;
      } else {
        members.push(character);
      }
    }
    return [literal("["), at + 1];
  }

  /** `{a,b}` and `{1..9}`; braces around anything else stand for themselves. */
  #braces(at: number, end: number): [Part, number] {
    const close = this.#closing.get(at);
    if (close === undefined || close >= end) {
      return [literal("{"), at + 1];
    }
    const range = close - at > mostRange ? null : numberRange.exec(this.pattern.slice(at + 1, close).join(""));
    if (range !== null) {
      return [numbers(Number(range[1]), Number(range[2])), close + 1];
    }
    const commas = this.#commas(at + 1, close);
    if (commas.length === 0) {
      return [literal("{"), at + 1];
    }
    const starts = [at, ...commas];
    const choices = starts.map((start, index) => this.sequence(start + 1, starts[index + 1] ?? close));
    return [anyOf(choices), close + 1];
  }

  /** Those between two places that are in no brace of their own. */
  #commas(start: number, end: number): number[] {
    const found: number[] = [];
    for (let at = start; at < end; at++) {
      if (this.pattern[at] === "\\") {
        at++;
      } else if (this.pattern[at] === "{") {
        at = this.#closing.get(at) ?? at;
      } else if (this.pattern[at] === ",") {
        found.push(at);
      }
    }
    return found;
  }
}

function isInName(character: string): boolean {
  return character !== "/";
}

function literal(wanted: string): Part {
  return single((character) => character === wanted);
}

function single(takes: (character: string) => boolean): Part {
  return (path, from) => {
    const to = new Uint8Array(from.length);
    for (let at = from.indexOf(1); at >= 0 && at < path.length; at = from.indexOf(1, at + 1)) {
      if (takes(path[at]!)) {
        to[at + 1] = 1;
      }
    }
    return to;
  };
}

/** Any number of such characters. */
function many(takes: (character: string) => boolean): Part {
  return (path, from) => {
    const to = from.slice();
    for (let at = from.indexOf(1); at >= 0 && at < path.length; at++) {
      if (to[at] === 1 && takes(path[at]!)) {
        to[at + 1] = 1;
      }
    }
    return to;
  };
}

/** A slash, or one and everything up to another one. */
const directories: Part = (path, from) => {
  const to = new Uint8Array(from.length);
  let isInside = false;
  for (let at = 0; at < path.length; at++) {
    if (path[at] === "/") {
      isInside ||= from[at] === 1;
      to[at + 1] = isInside ? 1 : 0;
    }
  }
  return to;
};

function anyOf(choices: readonly Part[]): Part {
  return (path, from) => {
    const to = new Uint8Array(from.length);
    for (const choice of choices) {
      for (const [at, flag] of choice(path, from).entries()) {
        to[at]! |= flag;
      }
    }
    return to;
  };
}

/** A whole number between two, both included, written without zeros before it. */
function numbers(one: number, other: number): Part {
  const [low, high] = [Math.min(one, other), Math.max(one, other)];
  return (path, from) => {
    const to = new Uint8Array(from.length);
    for (let at = from.indexOf(1); at >= 0; at = from.indexOf(1, at + 1)) {
      for (let length = 1; length <= mostDigits && at + length <= path.length; length++) {
        const text = path.slice(at, at + length).join("");
        if (wholeNumber.test(text) && low <= Number(text) && Number(text) <= high) {
          to[at + length] = 1;
        }
      }
    }
    return to;
  };
}
