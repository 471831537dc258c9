import { StithyError } from "../lib/errors.ts";
import { compilePattern } from "./compile-pattern.ts";
import { parseSections } from "./parse-sections.ts";

/** A file named .editorconfig. */
export interface EditorconfigFile {
  /** The directory that it lies in: empty for the root, else with a final slash. */
  directory: string;
  text: string;
}

/** Properties such as `indent_style` with their values as text, names and known values in lower case. */
export type Definition = Record<string, string>;

/** A repository's files cannot be read, or reading them takes too long. */
export class UnreadableEditorconfig extends StithyError {
  constructor(reason: string) {
    super("invalid", "unreadable-editorconfig", `The repository's .editorconfig cannot be read: ${reason}`);
  }
}

/** The most places that the patterns of all files may visit for one path, see `patternWork`: at most some 80 milliseconds. */
const mostWork = 2_000_000;
/** To compile a character or a step of a pattern takes as long as to visit so many places. */
const compilingWork = 10;

/** The properties whose values are known words or numbers. */
const known = new Set([
  "charset",
  "end_of_line",
  "indent_size",
  "indent_style",
  "insert_final_newline",
  "trim_trailing_whitespace",
]);

/**
 * Returns what the files say of a path, by the rules of the EditorConfig specification: the nearest file comes first, and
 * one with `root = true` is the last that counts. A property that is `unset` is left out. Throws UnreadableEditorconfig.
 */
export function readDefinition(path: string, files: readonly EditorconfigFile[]): Definition {
  const found = new Map<string, string>();
  for (const properties of matchingSections(path, files).toReversed()) {
    for (const [name, value] of properties) {
      found.set(name, known.has(name) ? value.toLowerCase() : value);
    }
  }
  for (const [name, value] of found) {
    if (value === "unset") {
      found.delete(name);
    }
  }
  completeIndent(found);
  return Object.fromEntries(found);
}

/** The properties of the sections that match, those of the nearest file and its last section first. */
function matchingSections(path: string, files: readonly EditorconfigFile[]): ReadonlyMap<string, string>[] {
  const matching: ReadonlyMap<string, string>[] = [];
  let work = 0;
  for (const { directory, text } of files) {
    const below = `/${path}`.slice(directory.length);
    const [preamble, ...sections] = parseSections(text);
    for (const { pattern, properties } of sections.toReversed()) {
      const { matches, steps } = compilePattern(pattern ?? "");
      work += steps * below.length + compilingWork * (steps + (pattern?.length ?? 0));
      if (work > mostWork) {
        throw new UnreadableEditorconfig("its patterns take too long");
      }
      if (matches(below)) {
        matching.push(properties);
      }
    }
    if (preamble?.properties.get("root")?.toLowerCase() === "true") {
      break;
    }
  }
  return matching;
}

/** One of `indent_size` and `tab_width` follows from the other. */
function completeIndent(found: Map<string, string>): void {
  if (found.get("indent_style") === "tab" && !found.has("indent_size")) {
    found.set("indent_size", "tab");
  }
  const [size, width] = [found.get("indent_size"), found.get("tab_width")];
  if (size === "tab" && width !== undefined) {
    found.set("indent_size", width);
  } else if (size !== undefined && size !== "tab" && width === undefined) {
    found.set("tab_width", size);
  }
}
