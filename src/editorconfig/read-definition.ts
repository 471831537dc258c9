import { parseBuffer } from "editorconfig";
import { compilePattern } from "./compile-pattern.ts";

/** A file named .editorconfig. */
export interface EditorconfigFile {
  /** The directory that it lies in: empty for the root, else with a final slash. */
  directory: string;
  text: string;
}

/** Properties such as `indent_style` with their values as text, names and known values in lower case. */
export type Definition = Record<string, string>;

/** Those whose values are known words or numbers. */
const known = new Set([
  "charset",
  "end_of_line",
  "indent_size",
  "indent_style",
  "insert_final_newline",
  "trim_trailing_whitespace",
]);

/**
 * What the files say of a path, by the rules of the EditorConfig specification: the nearest file comes first, and one
 * with `root = true` is the last that counts. A property that is `unset` is left out.
 */
export function readDefinition(path: string, files: readonly EditorconfigFile[]): Definition {
  const found = new Map<string, string>();
  for (const properties of fittingSections(path, files).toReversed()) {
    for (const [name, value] of Object.entries(properties)) {
      const lower = name.toLowerCase();
      found.set(lower, known.has(lower) ? value.toLowerCase() : value);
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

/** The properties of the sections that fit, the nearest and last one first. */
function fittingSections(path: string, files: readonly EditorconfigFile[]): Readonly<Record<string, string>>[] {
  const fitting: Readonly<Record<string, string>>[] = [];
  for (const { directory, text } of files) {
    const [preamble, ...sections] = parseBuffer(Buffer.from(text.replace(/^\uFEFF/, "")));
    const below = `/${path}`.slice(directory.length);
    fitting.push(
      ...sections
        .filter(([pattern]) => compilePattern(pattern ?? "")(below))
        .map(([, properties]) => properties)
        .toReversed(),
    );
    if (isRoot(preamble?.[1] ?? {})) {
      break;
    }
  }
  return fitting;
}

function isRoot(preamble: Readonly<Record<string, string>>): boolean {
  return Object.entries(preamble).some(
    ([name, value]) => name.toLowerCase() === "root" && value.toLowerCase() === "true",
  );
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
