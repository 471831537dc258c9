import { compileGlob, type Glob } from "../tree/glob.ts";
import { FilterTooCostly } from "./filter-too-costly.ts";

interface Pattern {
  readonly matches: Glob;
  readonly negative: boolean;
  readonly directoriesOnly: boolean;
  /** compared with the last name of the path alone */
  readonly nameOnly: boolean;
}

/** A sparse specification may have so many lines, of so many bytes: each is held against every path. */
const maxPatterns = 1000;
const maxPatternBytes = 1024;

/**
 * The lines of a sparse specification, which are those of gitignore(5): the last that fits a path decides, one that
 * begins with `!` against it. Paths and lines are bytes as latin1 text.
 */
export class SparsePatterns {
  readonly #patterns: Pattern[] = [];

  /** Throws FilterTooCostly. */
  constructor(text: string) {
    for (const line of text.replace(/^\xef\xbb\xbf/, "").split("\n")) {
      const pattern = parseLine(line);
      if (pattern !== null) {
        this.#patterns.push(pattern);
      }
      if (line.length > maxPatternBytes && pattern !== null) {
        throw new FilterTooCostly(`a line of the sparse specification has more than ${maxPatternBytes} bytes`);
      }
    }
    this.#patterns.reverse();
    if (this.#patterns.length > maxPatterns) {
      throw new FilterTooCostly(`the sparse specification has more than ${maxPatterns} patterns`);
    }
  }

  /** Whether a path is in, or null when no line says anything about it. The root is the empty path. */
  match(path: string, isDirectory: boolean): boolean | null {
    const name = path.slice(path.lastIndexOf("/") + 1);
    for (const { matches, negative, directoriesOnly, nameOnly } of this.#patterns) {
      if ((isDirectory || !directoriesOnly) && matches(nameOnly ? name : path)) {
        return !negative;
      }
    }
    return null;
  }
}

function parseLine(line: string): Pattern | null {
  if (line === "" || line.startsWith("#")) {
    return null;
  }
  // For git, a line of spaces is a pattern that matches the root.
  let text = withoutTrailingSpaces(line.endsWith("\r") ? line.slice(0, -1) : line);
  const negative = text.startsWith("!");
  text = negative ? text.slice(1) : text;
  const directoriesOnly = text.endsWith("/");
  text = directoriesOnly ? text.slice(0, -1) : text;
  const nameOnly = !text.includes("/");
  return { matches: compileGlob(text.startsWith("/") ? text.slice(1) : text), negative, directoriesOnly, nameOnly };
}

/** A backslash keeps what follows it. */
function withoutTrailingSpaces(line: string): string {
  let end = 0;
  for (let at = 0; at < line.length; at++) {
    if (line[at] === "\\") {
      at++;
    }
    end = line[at] === " " && line[at - 1] !== "\\" ? end : at + 1;
  }
  return line.slice(0, end);
}
