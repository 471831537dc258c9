import { compileGlob } from "../../../git/tree/glob.ts";
import { patternWork } from "../../../lib/pattern-steps.ts";
import { TemplateRefused } from "./errors.ts";

/** Where a template says in which files variables are replaced. The first one counts, and neither is copied. */
export const templateFilePaths = [".forgejo/template", ".gitea/template"] as const;

/** Patterns with alternatives in braces become one for each combination: more are not taken. */
const mostPatterns = 500;

/** Longer ones match no path. */
const longestPattern = 4096;
/** The limit on the work of all patterns together: a second or two, in turns. */
const mostWork = 50_000_000;

/** Paths as the engine's patterns take them: a character for each byte. */
const bytesOf = (text: string) => Buffer.from(text).toString("latin1");

/**
 * Reads such a file: a pattern in each line, and comments behind "#". `*` and `?` match within a name, `**` anything, `[ab]` one
 * of these, `{a,b}` either. Returns whether a path is meant. Throws TemplateRefused.
 */
export function readTemplateFile(text: string): (path: string) => boolean {
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
  const patterns: string[] = [];
  for (const line of lines) {
    if (line.length > longestPattern) {
      throw new TemplateRefused(`a pattern in its list of files has more than ${longestPattern} characters`);
    }
    patterns.push(...alternatives(line, mostPatterns - patterns.length));
  }
  const globs = patterns.map((pattern) => compileGlob(bytesOf(pattern), "starred"));
  let spent = 0;
  return (path) => {
    const bytes = bytesOf(path);
    return globs.some((matches) => {
      const before = patternWork();
      const isMeant = matches(bytes);
      spent += patternWork() - before;
      if (spent > mostWork) {
        throw new TemplateRefused("its patterns take too long to compare with so many files");
      }
      return isMeant;
    });
  };
}

/** The patterns without braces that one with them stands for. */
function alternatives(pattern: string, most: number): string[] {
  let made = [""];
  let at = 0;
  while (at < pattern.length) {
    const character = pattern.charAt(at);
    let options = [character];
    if (character === "\\") {
      options = [pattern.slice(at, at + 2)];
      at++;
    } else if (character === "{") {
      const end = pattern.indexOf("}", at);
      if (end > at) {
        options = pattern.slice(at + 1, end).split(",");
        at = end;
      }
    }
    at++;
    if (made.length * options.length > most) {
      throw new TemplateRefused(`its list of files has more than ${mostPatterns} patterns`);
    }
    made = made.flatMap((begun) => options.map((option) => begun + option));
  }
  return made;
}
