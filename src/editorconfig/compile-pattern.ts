import { anyButSlash, appendChoice, literal, matcherOf, oneOf, setOfRanges, type Step } from "../lib/pattern-steps.ts";

/** Patterns of sections (https://spec.editorconfig.org/#glob-expressions). */

/** A compiled pattern. */
export interface Pattern {
  /** Whether it matches a path, which begins with a slash. */
  matches: (path: string) => boolean;
  /** How many places a match visits at most for each character of the path, see `patternWork`. */
  steps: number;
}

/** The specification wants 1,024 at least. */
const mostCharacters = 4096;
/** For each end of `1..9`. */
const mostDigits = 20;
const numberRange = new RegExp(`^([+-]?[0-9]{1,${mostDigits}})\\.\\.([+-]?[0-9]{1,${mostDigits}})$`);
const longestRange = 2 * (mostDigits + 1) + "..".length;

/** Compiles the text between the brackets of a section. A pattern of more than 4,096 characters matches nothing. */
export function compilePattern(pattern: string): Pattern {
  const slash = pattern.indexOf("/");
  const whole = slash === 0 ? pattern : slash < 0 ? `/**/${pattern}` : `/${pattern}`;
  const characters = Array.from(whole);
  if (characters.length > mostCharacters) {
    return { matches: () => false, steps: 0 };
  }
  const compiler = new Compiler(characters);
  compiler.append(0, characters.length);
  return { matches: matcherOf(compiler.steps), steps: compiler.steps.length };
}

class Compiler {
  readonly steps: Step[] = [];
  /** By the place of an opening brace: that of the closing one. */
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

  /** Appends the steps of the part between two places of the pattern. */
  append(start: number, end: number): void {
    for (let at = start; at < end;) {
      at = this.#appendOne(at, end);
    }
  }

  /** Returns where the next part begins. */
  #appendOne(at: number, end: number): number {
    const character = this.pattern[at]!;
    if (character === "\\" && at + 1 < end) {
      return this.#literal(this.pattern[at + 1]!, at + 2);
    }
    if (this.#says("/**/", at, end)) {
      this.steps.push(literal(codeOf("/")), { take: "directories" }, { take: "inside" });
      return at + 4;
    }
    if (this.#says("**", at, end)) {
      this.steps.push({ take: "anything" });
      return at + 2;
    }
    if (character === "*") {
      this.steps.push({ take: "name" });
      return at + 1;
    }
    if (character === "?") {
      this.steps.push(oneOf(anyButSlash));
      return at + 1;
    }
    if (character === "[") {
      return this.#set(at, end);
    }
    return character === "{" ? this.#braces(at, end) : this.#literal(character, at + 1);
  }

  #says(text: string, at: number, end: number): boolean {
    return at + text.length <= end && this.pattern.slice(at, at + text.length).join("") === text;
  }

  #literal(character: string, next: number): number {
    this.steps.push(literal(codeOf(character)));
    return next;
  }

  /** `[ab]`, `[a-z]`, `[!ab]`. A bracket stands for itself if nothing closes it, or if a slash comes first. */
  #set(at: number, end: number): number {
    const isNegated = this.pattern[at + 1] === "!";
    const ranges: [number, number][] = [];
    const first = at + (isNegated ? 2 : 1);
    for (let next = first; next < end && this.pattern[next] !== "/"; next++) {
      const character = this.pattern[next]!;
      if (character === "]" && next > first) {
        this.steps.push(oneOf(setOfRanges(ranges, isNegated)));
        return next + 1;
      }
      if (character === "\\" && next + 1 < end) {
        const code = codeOf(this.pattern[++next]!);
        ranges.push([code, code]);
      } else if (this.pattern[next + 1] === "-" && next + 2 < end && !["]", "/"].includes(this.pattern[next + 2]!)) {
        ranges.push([codeOf(character), codeOf(this.pattern[next + 2]!)]);
        next += 2;
      } else {
        ranges.push([codeOf(character), codeOf(character)]);
      }
    }
    return this.#literal("[", at + 1);
  }

  /** `{a,b}` and `{1..9}`. Braces around anything else stand for themselves. */
  #braces(at: number, end: number): number {
    const close = this.#closing.get(at);
    if (close === undefined || close >= end) {
      return this.#literal("{", at + 1);
    }
    const range = close - at > longestRange + 1 ? null : numberRange.exec(this.pattern.slice(at + 1, close).join(""));
    if (range !== null) {
      appendNumbers(this.steps, BigInt(range[1]!.replace("+", "")), BigInt(range[2]!.replace("+", "")));
      return close + 1;
    }
    const ends = [...this.#commas(at + 1, close), close];
    if (ends.length === 1) {
      return this.#literal("{", at + 1);
    }
    appendEach(this.steps, [at, ...ends.slice(0, -1)], (start, index) => this.append(start + 1, ends[index]!));
    return close + 1;
  }

  /** The commas between two places that are in no brace of their own. */
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

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}

function appendEach<One>(steps: Step[], alternatives: readonly One[], append: (one: One, index: number) => void): void {
  let index = 0;
  appendChoice(steps, () => {
    append(alternatives[index]!, index);
    return ++index < alternatives.length;
  });
}

/** Appends a whole number between two, both included, with or without a sign, and without zeros before it. */
function appendNumbers(steps: Step[], one: bigint, other: bigint): void {
  const [low, high] = one < other ? [one, other] : [other, one];
  const signed: [sign: string, sequences: DigitRange[][]][] = [];
  if (high >= 0n) {
    const sequences = digitsBetween(low > 0n ? low : 0n, high);
    signed.push(["", sequences], ["+", sequences]);
  }
  if (low <= 0n) {
    signed.push(["-", digitsBetween(high < 0n ? -high : 0n, -low)]);
  }
  appendEach(steps, signed, ([sign, sequences]) => {
    steps.push(...Array.from(sign, (character) => literal(codeOf(character))));
    appendEach(steps, sequences, (digits) => {
      digits.forEach(([from, to]) => steps.push(digitSteps[from]![to]!));
    });
  });
}

type DigitRange = readonly [from: number, to: number];

/** The steps for a digit from one to another one. Ranges of numbers may need hundreds of thousands: they share them. */
const digitSteps: readonly (readonly Step[])[] = Array.from({ length: 10 }, (_, from) =>
  Array.from({ length: 10 }, (__, to) => oneOf(setOfRanges([[codeOf("0") + from, codeOf("0") + to]], false))),
);

/** The numbers between two as sequences of digits: 8 to 12 is `[8-9]` and `1[0-2]`. */
function digitsBetween(low: bigint, high: bigint): DigitRange[][] {
  const lengths = Array.from(
    { length: String(high).length - String(low).length + 1 },
    (_, more) => String(low).length + more,
  );
  return lengths.flatMap((length) => {
    const least = length === 1 ? 0n : 10n ** BigInt(length - 1);
    const most = 10n ** BigInt(length) - 1n;
    return sequencesBetween(String(low > least ? low : least), String(high < most ? high : most));
  });
}

/** As digitsBetween, for numbers of one length. */
function sequencesBetween(low: string, high: string): DigitRange[][] {
  const [first, last] = [Number(low[0]), Number(high[0])];
  const [lowRest, highRest] = [low.slice(1), high.slice(1)];
  if (/^0*$/.test(lowRest) && /^9*$/.test(highRest)) {
    return [[[first, last], ...Array.from(lowRest, (): DigitRange => [0, 9])]];
  }
  const after = (digit: number, from: string, to: string): DigitRange[][] =>
    sequencesBetween(from, to).map((rest) => [[digit, digit] as DigitRange].concat(rest));
  if (first === last) {
    return after(first, lowRest, highRest);
  }
  const between: DigitRange[][] =
    last - first > 1 ? [[[first + 1, last - 1], ...Array.from(lowRest, (): DigitRange => [0, 9])]] : [];
  return [
    ...after(first, lowRest, "9".repeat(lowRest.length)),
    ...between,
    ...after(last, "0".repeat(highRest.length), highRest),
  ];
}
