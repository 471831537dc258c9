import { InvalidInput } from "./errors.ts";
import { anyButSlash, appendChoice, literal, matcherOf, oneOf, setOfRanges, type Step } from "./pattern-steps.ts";

/**
 * Patterns of names and paths, as rules of branches, tags and files have them: `*` stands for any characters but slashes,
 * `**` for any characters, `?` for one that is no slash, `[a-z]` and `[!a-z]` for one of a set, `{a,b}` for one of several
 * patterns, and a backslash takes the meaning from the character behind it. These are the patterns of Gitea and Forgejo.
 */
export type NamePattern = (name: string) => boolean;

/** The characters that make a text a pattern. */
const special = /[*?\\[\]{}]/;

/** Whether the text is a name as it stands. */
export function isPlainName(text: string): boolean {
  return !special.test(text);
}

const deepest = 8;

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
          this.steps.push(oneOf(anyButSlash));
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
          this.push(this.characters[this.at++] ?? this.fail("it ends with a backslash"));
          break;
        default:
          this.push(character);
      }
    }
    if (depth > 0) {
      this.fail("a { is not closed");
    }
  }

  private push(character: string): void {
    this.steps.push(literal(codeOf(character)));
  }

  private star(): void {
    const crosses = this.characters[this.at] === "*";
    while (this.characters[this.at] === "*") {
      this.at++;
    }
    this.steps.push({ take: crosses ? "anything" : "name" });
  }

  private set(): void {
    const negated = this.characters[this.at] === "!" || this.characters[this.at] === "^";
    this.at += negated ? 1 : 0;
    const ranges: [number, number][] = [];
    while (this.characters[this.at] !== "]") {
      const from = this.member();
      const isRange = this.characters[this.at] === "-" && this.characters[this.at + 1] !== "]";
      this.at += isRange ? 1 : 0;
      const to = isRange ? this.member() : from;
      if (codeOf(to) < codeOf(from)) {
        this.fail(`the range ${from}-${to} is empty`);
      }
      ranges.push([codeOf(from), codeOf(to)]);
    }
    this.at++;
    if (ranges.length === 0) {
      this.fail("a [] has nothing in it");
    }
    this.steps.push(oneOf(setOfRanges(ranges, negated)));
  }

  private member(): string {
    const character = this.characters[this.at++] ?? this.fail("a [ is not closed");
    return character === "\\" ? (this.characters[this.at++] ?? this.fail("a [ is not closed")) : character;
  }

  private alternatives(depth: number): void {
    if (depth > deepest) {
      this.fail(`braces are more than ${deepest} deep in each other`);
    }
    appendChoice(this.steps, () => {
      this.read(depth);
      return this.characters[this.at++] === ",";
    });
  }
}

function codeOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}

/** Compiles a pattern, which has to match the whole of a name. `field` is what it came in. Throws InvalidInput for one that cannot be read. */
export function compileNamePattern(text: string, field: string): NamePattern {
  if (isPlainName(text)) {
    return (name) => name === text;
  }
  const parser = new Parser(text, field);
  parser.read();
  const matches = matcherOf(parser.steps);
  // Most patterns begin with text, and most names with another one.
  const prefix = text.slice(0, text.search(special));
  return (name) => name.startsWith(prefix) && matches(name);
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
