import { InvalidInput } from "./errors.ts";

/**
 * Patterns of names and paths, as rules of branches, tags and files have them: `*` stands for any characters but slashes,
 * `**` for any characters, `?` for one that is no slash, `[a-z]` and `[!a-z]` for one of a set, `{a,b}` for one of several
 * patterns, and a backslash takes the meaning from the character behind it. These are the patterns of Gitea and Forgejo.
 *
 * Whoever writes a pattern and whoever pushes the name may both be hostile. So the pattern becomes a list of steps, and all
 * places in it that the name could have reached go forward together: matching takes at most the product of both lengths.
 */
export type NamePattern = (name: string) => boolean;

/** What makes a text a pattern. */
const special = /[*?\\[\]{}]/;

/** Whether the text is a name as it stands. */
export function isPlainName(text: string): boolean {
  return !special.test(text);
}

type Takes = (character: string) => boolean;

/** A step takes a character and goes on behind itself, or takes nothing and goes on at each of `to`. */
type Step = { readonly takes: Takes } | { to: number[] };

const slash = "/";
const deepest = 8;
const any: Takes = () => true;
const anyButSlash: Takes = (character) => character !== slash;

class Parser {
  readonly steps: Step[] = [];
  private at = 0;
  private readonly characters: readonly string[];

  constructor(
    private readonly text: string,
    private readonly field: string,
  ) {
    this.characters = [...text];
  }

  private fail(why: string): never {
    throw new InvalidInput(
      `${this.field} has a pattern that cannot be read, "${this.text.slice(0, 80)}": ${why}`,
      this.field,
    );
  }

  /** Reads until the end, or in braces until a comma or the closing brace, which stay. */
  read(depth = 0): void {
    while (this.at < this.characters.length) {
      const character = this.characters[this.at] ?? "";
      if (depth > 0 && (character === "," || character === "}")) {
        return;
      }
      this.at++;
      switch (character) {
        case "*":
          this.star();
          break;
        case "?":
          this.steps.push({ takes: anyButSlash });
          break;
        case "[":
          this.set();
          break;
        case "{":
          this.alternatives(depth + 1);
          break;
        case "]":
        case "}":
          this.fail(`there is a ${character} that closes nothing`);
        // falls through: fail() does not return
        case "\\":
          this.literal(this.characters[this.at++] ?? this.fail("it ends with a backslash"));
          break;
        default:
          this.literal(character);
      }
    }
    if (depth > 0) {
      this.fail("a { is not closed");
    }
  }

  private literal(wanted: string): void {
    this.steps.push({ takes: (character) => character === wanted });
  }

  private star(): void {
    const crosses = this.characters[this.at] === "*";
    while (this.characters[this.at] === "*") {
      this.at++;
    }
    const start = this.steps.length;
    this.steps.push({ to: [start + 1, start + 3] }, { takes: crosses ? any : anyButSlash }, { to: [start] });
  }

  private set(): void {
    const negated = this.characters[this.at] === "!" || this.characters[this.at] === "^";
    this.at += negated ? 1 : 0;
    const ranges: [string, string][] = [];
    while (this.characters[this.at] !== "]") {
      const from = this.member();
      const isRange = this.characters[this.at] === "-" && this.characters[this.at + 1] !== "]";
      this.at += isRange ? 1 : 0;
      const to = isRange ? this.member() : from;
      if (to < from) {
        this.fail(`the range ${from}-${to} is empty`);
      }
      ranges.push([from, to]);
    }
    this.at++;
    if (ranges.length === 0) {
      this.fail("a [] has nothing in it");
    }
    this.steps.push({
      takes: (character) =>
        character !== slash && ranges.some(([from, to]) => from <= character && character <= to) !== negated,
    });
  }

  private member(): string {
    const character = this.characters[this.at++] ?? this.fail("a [ is not closed");
    return character === "\\" ? (this.characters[this.at++] ?? this.fail("a [ is not closed")) : character;
  }

  private alternatives(depth: number): void {
    if (depth > deepest) {
      this.fail(`braces are more than ${deepest} deep in each other`);
    }
    const choice = { to: [] as number[] };
    const exits: { to: number[] }[] = [];
    this.steps.push(choice);
    do {
      choice.to.push(this.steps.length);
      this.read(depth);
      const exit = { to: [] as number[] };
      exits.push(exit);
      this.steps.push(exit);
    } while (this.characters[this.at++] === ",");
    for (const exit of exits) {
      exit.to.push(this.steps.length);
    }
  }
}

let work = 0;

/** How many places all patterns of this thread have gone through so far: some millions a second. */
export function namePatternWork(): number {
  return work;
}

/** The places that a name has been followed to, each once. */
class Places {
  readonly list: Int32Array;
  length = 0;
  /** by place: the round in which it was reached last */
  readonly #reached: Int32Array;
  readonly #waiting: number[] = [];
  #round = 0;

  constructor(private readonly steps: readonly Step[]) {
    this.list = new Int32Array(steps.length + 1);
    this.#reached = new Int32Array(steps.length + 1);
  }

  clear(): void {
    this.length = 0;
    this.#round++;
  }

  /** Marks a place as reached, and those that are reached from it by taking nothing. */
  reach(from: number): void {
    this.#waiting.push(from);
    for (let place = this.#waiting.pop(); place !== undefined; place = this.#waiting.pop()) {
      if (this.#reached[place] === this.#round) {
        continue;
      }
      this.#reached[place] = this.#round;
      work++;
      const step = this.steps[place];
      if (step !== undefined && "to" in step) {
        this.#waiting.push(...step.to);
      } else {
        this.list[this.length++] = place;
      }
    }
  }

  has(place: number): boolean {
    return this.#reached[place] === this.#round;
  }
}

/** Compiles a pattern, which has to match the whole of a name. `field` is what it came in. Throws InvalidInput for one that cannot be read. */
export function compileNamePattern(text: string, field: string): NamePattern {
  if (isPlainName(text)) {
    return (name) => name === text;
  }
  const parser = new Parser(text, field);
  parser.read();
  const { steps } = parser;
  // Most patterns begin with text, and most names with another one.
  const prefix = text.slice(0, text.search(special));
  let now = new Places(steps);
  let next = new Places(steps);
  return (name) => {
    if (!name.startsWith(prefix)) {
      return false;
    }
    now.clear();
    now.reach(0);
    for (const character of name) {
      next.clear();
      for (let index = 0; index < now.length; index++) {
        const place = now.list[index]!;
        const step = steps[place];
        if (step !== undefined && "takes" in step && step.takes(character)) {
          next.reach(place + 1);
        }
      }
      if (next.length === 0 && !next.has(steps.length)) {
        return false;
      }
      [now, next] = [next, now];
    }
    return now.has(steps.length);
  };
}

/** Patterns of files between semicolons. A slash in front means nothing, and letters match in either case, as in the family. */
export function splitFilePatterns(text: string): string[] {
  return text
    .split(";")
    .map((pattern) => pattern.trim().toLowerCase().replace(/^\//, ""))
    .filter((pattern) => pattern !== "");
}

/** Compiles patterns of files: whether one of them matches a path. Throws InvalidInput. */
export function compileFilePatterns(text: string, field: string): NamePattern {
  const patterns = splitFilePatterns(text).map((pattern) => compileNamePattern(pattern, field));
  return (path) => {
    const lower = path.toLowerCase();
    return patterns.some((matches) => matches(lower));
  };
}
