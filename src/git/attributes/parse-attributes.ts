import { compileGlob, literalLength } from "../tree/glob.ts";

/** `name`, `-name`, `name=value`, and `!name`, which makes it unspecified again. */
export type AttributeValue = true | false | string | null;
export type AttributeState = readonly [name: string, value: AttributeValue];

/** One line of a .gitattributes file that has effect. */
export interface AttributeRule {
  /** Whether it is about the path: relative to the file's directory, from `base` on in `path`; a directory ends in a slash. */
  readonly matches: (path: string, base: number) => boolean;
  readonly states: readonly AttributeState[];
}

/** A .gitattributes file (gitattributes(5)). */
export interface AttributeFile {
  readonly rules: readonly AttributeRule[];
  /** Attributes that stand for others when they are set; only the file of the root directory can have them. */
  readonly macros: ReadonlyMap<string, readonly AttributeState[]>;
}

/** Larger files are ignored (git's limit is 100 MB): each line costs time for each path. Longer lines are ignored by git too. */
export const largestAttributesFile = 256 * 1024;
const largestLine = 2048;
const attributeName = /^[A-Za-z0-9_.][-A-Za-z0-9_.]*$/;
const macroPrefix = "[attr]";

/** Reads a file whose characters are bytes. Lines that say nothing or cannot be read are left out. */
export function parseAttributes(text: string, isRoot: boolean): AttributeFile {
  const rules: AttributeRule[] = [];
  const macros = new Map<string, readonly AttributeState[]>();
  const lines = text.length > largestAttributesFile ? [] : text.replace(/^\xef\xbb\xbf/, "").split("\n");
  for (const line of lines) {
    const { pattern, rest } = splitLine(line.split("\0")[0] ?? "");
    if (pattern === "") {
      continue;
    }
    if (pattern.length > macroPrefix.length && pattern.startsWith(macroPrefix)) {
      const name = pattern.slice(macroPrefix.length);
      const states = readStates(rest);
      if (isRoot && states !== null && attributeName.test(name)) {
        macros.set(name, states);
      }
      continue;
    }
    const states = readStates(rest);
    if (states !== null && states.length > 0 && !pattern.startsWith("!")) {
      rules.push({ matches: pathMatcher(pattern), states });
    }
  }
  return { rules, macros };
}

function splitLine(line: string): { pattern: string; rest: string } {
  const text = line.replace(/^[ \t\r]+/, "");
  if (text === "" || text.startsWith("#") || line.length >= largestLine) {
    return { pattern: "", rest: "" };
  }
  const quoted = text.startsWith('"') ? unquote(text) : null;
  if (quoted !== null) {
    return quoted;
  }
  const [pattern = ""] = /^[^ \t\r]+/.exec(text) ?? [];
  return { pattern, rest: text.slice(pattern.length) };
}

const escapes: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  '"': '"',
};

/** A pattern in quotes, with C's escapes; null when the quotes do not end. */
function unquote(text: string): { pattern: string; rest: string } | null {
  const match = /^"((?:[^"\\]|\\.)*)"/s.exec(text);
  if (match === null) {
    return null;
  }
  let isValid = true;
  const pattern = match[1]!.replaceAll(/\\([0-3][0-7]{2}|.)/gs, (_, code: string) => {
    const byte = code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8)) : escapes[code];
    isValid &&= byte !== undefined;
    return byte ?? "";
  });
  return isValid ? { pattern, rest: text.slice(match[0].length) } : null;
}

/** null when one of the names cannot be one: git then passes over the whole line. */
function readStates(rest: string): AttributeState[] | null {
  const states: AttributeState[] = [];
  for (const word of rest.split(/[ \t\r]+/).filter((part) => part !== "")) {
    const equals = word.indexOf("=");
    const sign = word[0] === "-" || word[0] === "!" ? word[0] : "";
    const name = word.slice(sign.length, equals < 0 ? undefined : equals);
    if (!attributeName.test(name)) {
      return null;
    }
    states.push([name, sign === "-" ? false : sign === "!" ? null : equals < 0 ? true : word.slice(equals + 1)]);
  }
  return states;
}

/**
 * A pattern without a slash is about the last name of a path, in any directory below; one with a slash about the whole
 * path; one that ends in a slash about directories only.
 */
function pathMatcher(written: string): AttributeRule["matches"] {
  const onlyDirectories = written.endsWith("/");
  const pattern = onlyDirectories ? written.slice(0, -1) : written;
  const isAnchored = pattern.includes("/");
  const rest = isAnchored ? pattern.replace(/^\//, "") : pattern;
  const literal = Math.min(literalLength(rest), rest.length);
  const start = rest.slice(0, literal);
  const glob = literal === rest.length ? null : compileGlob(rest.slice(literal));
  return (path, base) => {
    const isDirectory = path.endsWith("/");
    const end = isDirectory ? path.length - 1 : path.length;
    const from = isAnchored ? base : path.lastIndexOf("/", end - 1) + 1;
    if ((onlyDirectories && !isDirectory) || end - from < literal || !path.startsWith(start, from)) {
      return false;
    }
    return glob === null ? end - from === literal : glob(path, from + literal, end);
  };
}
