import { StithyError } from "../../lib/errors.ts";
import { parseAttributes, type AttributeFile, type AttributeState, type AttributeValue } from "./parse-attributes.ts";

interface Level {
  readonly file: AttributeFile;
  /** Where paths relative to the file's directory begin. */
  readonly base: number;
}

/** Lines that may hold for one directory: each is looked at for each path in it. */
const mostRules = 20_000;

/** The .gitattributes files of a tree say too much to be held against all its paths. */
class TooManyAttributes extends StithyError {
  constructor(most: number) {
    super(
      "too-large",
      "too-many-attributes",
      `The .gitattributes files of a directory and those above it have more than ${most} lines together`,
      { most },
    );
  }
}

const builtInMacros: readonly (readonly [string, readonly AttributeState[]])[] = [
  [
    "binary",
    [
      ["diff", false],
      ["merge", false],
      ["text", false],
    ],
  ],
];

/**
 * The .gitattributes files that hold for a directory: its own, that of the directory above it, and so on. A walk pushes
 * and pops one for each directory that it enters and leaves.
 */
export class AttributeStack {
  readonly #levels: (Level | null)[] = [];
  readonly #macros = new Map(builtInMacros);
  #rules = 0;

  /** Enters a directory. `text`: its .gitattributes file, each byte a character; null when it has none. `base`: length of its path with the slash. Throws when there are too many lines (code "too-many-attributes"). */
  push(text: string | null, base: number): void {
    const file = text === null ? null : parseAttributes(text, this.#levels.length === 0);
    for (const [name, states] of file?.macros ?? []) {
      this.#macros.set(name, states);
    }
    this.#levels.push(file === null || file.rules.length === 0 ? null : { file, base });
    this.#rules += file?.rules.length ?? 0;
    if (this.#rules > mostRules) {
      throw new TooManyAttributes(mostRules);
    }
  }

  pop(): void {
    this.#rules -= this.#levels.pop()?.file.rules.length ?? 0;
  }

  /** Whether no file says anything. */
  get isEmpty(): boolean {
    return this.#rules === 0;
  }

  /**
   * Returns the attributes of a path, each byte a character, a directory ending in a slash. The last matching line in
   * the nearest file counts; an attribute that is absent or null is unspecified.
   */
  of(path: string): ReadonlyMap<string, AttributeValue> {
    const found = new Map<string, AttributeValue>();
    for (let level = this.#levels.length - 1; level >= 0; level--) {
      const { file, base } = this.#levels[level] ?? { file: null, base: 0 };
      for (let number = (file?.rules.length ?? 0) - 1; number >= 0; number--) {
        const rule = file!.rules[number]!;
        if (rule.matches(path, base)) {
          this.#decide(rule.states, found);
        }
      }
    }
    return found;
  }

  #decide(states: readonly AttributeState[], found: Map<string, AttributeValue>): void {
    for (let number = states.length - 1; number >= 0; number--) {
      const [name, value] = states[number]!;
      if (!found.has(name)) {
        found.set(name, value);
        const macro = value === true ? this.#macros.get(name) : undefined;
        if (macro !== undefined) {
          this.#decide(macro, found);
        }
      }
    }
  }
}
