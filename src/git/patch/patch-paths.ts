import { PatchRefused } from "./patch-refused.ts";

const escapes: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, "\\": 92 };

/** A path as it stands in a patch (bytes as Latin-1): quoted when there is something odd in it. Throws PatchRefused. */
export function readPath(text: string): string {
  return decode(text.startsWith('"') ? unquote(text).bytes : Buffer.from(text, "latin1"));
}

/** The path of a `---` or `+++` line without its first directory; null for `/dev/null`. A tab ends it. Throws PatchRefused. */
export function readSidePath(text: string): string | null {
  const name = text.startsWith('"') ? text : text.split("\t")[0]!;
  return name === "/dev/null" ? null : withoutFirst(readPath(name));
}

/** The path that both names of a `diff --git` line have; null when they differ or cannot be told apart. Throws PatchRefused. */
export function readGitPath(text: string): string | null {
  if (text.startsWith('"')) {
    const { bytes, length } = unquote(text);
    const other = text.slice(length + 1);
    return agreed(withoutFirst(decode(bytes)), withoutFirst(readPath(other)));
  }
  const quoted = text.indexOf(' "');
  if (quoted > 0 && text.endsWith('"')) {
    return agreed(withoutFirst(readPath(text.slice(0, quoted))), withoutFirst(readPath(text.slice(quoted + 1))));
  }
  // Names may have spaces in them, so the line is cut where both halves say the same.
  const middle = (text.length - 1) / 2;
  const same =
    Number.isInteger(middle) &&
    text[middle] === " " &&
    afterSlash(text.slice(0, middle)) === afterSlash(text.slice(middle + 1));
  return same ? withoutFirst(readPath(text.slice(0, middle))) : null;
}

function agreed(left: string, right: string): string | null {
  return left === right ? left : null;
}

function afterSlash(path: string): string {
  return path.slice(path.indexOf("/") + 1);
}

/** The `a/` and `b/` of patches are no directories. */
function withoutFirst(path: string): string {
  const slash = path.indexOf("/");
  if (slash < 0 || slash === path.length - 1) {
    throw new PatchRefused(
      `Cannot read the path "${path.slice(0, 100)}" in the patch: it has no directory such as a/ before the name`,
      path,
    );
  }
  return path.slice(slash + 1);
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new PatchRefused("Cannot read a path in the patch: it is not UTF-8", null);
  }
}

/** Decodes the quoted name at the beginning of the text. `length` counts the quotes too. */
function unquote(text: string): { bytes: Uint8Array; length: number } {
  const bytes: number[] = [];
  for (let at = 1; at < text.length; at++) {
    const character = text[at]!;
    if (character === '"') {
      return { bytes: Uint8Array.from(bytes), length: at + 1 };
    }
    if (character !== "\\") {
      bytes.push(character.charCodeAt(0));
      continue;
    }
    const octal = /^[0-3][0-7]{2}/.exec(text.slice(at + 1, at + 4));
    const byte = octal === null ? escapes[text[at + 1] ?? ""] : Number.parseInt(octal[0], 8);
    if (byte === undefined) {
      break;
    }
    bytes.push(byte);
    at += octal === null ? 1 : 3;
  }
  throw new PatchRefused(`Cannot read the quoted path ${text.slice(0, 100)} in the patch`, null);
}
