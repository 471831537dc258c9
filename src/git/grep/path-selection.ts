import { InvalidInput } from "../../lib/errors.ts";
import { compileGlob, literalLength, type Glob } from "../tree/glob.ts";

interface PathPattern {
  /** a file, or a directory with all that is in it, when it is taken as it is written */
  readonly literal: string;
  /** what it begins with, up to the first character that means more than itself */
  readonly start: string;
  /** null when no character means more than itself */
  readonly glob: Glob | null;
}

const maxPatterns = 100;
const maxPatternBytes = 4096;

/**
 * Which files of a tree are wanted, by patterns as git's commands take them (gitglossary(7), "pathspec"): a path names a
 * file or a directory; in `*`, `?` and `[...]` a slash is like any other character. Paths are Latin-1 strings of bytes.
 */
export class PathSelection {
  readonly #patterns: readonly PathPattern[];

  /** No patterns: all files. Throws InvalidInput, also for the "magic" of a pattern that begins with a colon. */
  constructor(patterns: readonly string[]) {
    if (patterns.length > maxPatterns || patterns.some((pattern) => Buffer.byteLength(pattern) > maxPatternBytes)) {
      throw new InvalidInput(
        `Cannot search by more than ${maxPatterns} patterns of paths, or by one of more than ${maxPatternBytes} bytes`,
        "paths",
      );
    }
    this.#patterns = patterns.filter((pattern) => pattern !== "").map(parsePattern);
  }

  hasFile(path: string): boolean {
    return (
      this.#patterns.length === 0 ||
      this.#patterns.some(({ literal, glob }) => isWithin(path, literal) || glob?.(path) === true)
    );
  }

  /** Whether files in a directory can be wanted. Its path ends in a slash. */
  entersDirectory(path: string): boolean {
    return (
      this.#patterns.length === 0 ||
      this.#patterns.some(
        ({ literal, start, glob }) =>
          literal.startsWith(path) ||
          isWithin(path, literal) ||
          (glob !== null && (start.startsWith(path) || path.startsWith(start))),
      )
    );
  }
}

function isWithin(path: string, limit: string): boolean {
  return path === limit || path.startsWith(limit.endsWith("/") ? limit : `${limit}/`);
}

function parsePattern(pattern: string): PathPattern {
  if (pattern.startsWith(":")) {
    throw new InvalidInput(
      `Cannot search in "${pattern}": patterns of paths that begin with a colon are not understood`,
      "paths",
    );
  }
  const bytes = Buffer.from(pattern).toString("latin1");
  const start = bytes.slice(0, literalLength(bytes));
  return { literal: bytes, start, glob: start === bytes ? null : compileGlob(bytes, "any") };
}
