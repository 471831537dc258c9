import { changesBetween } from "../../../git/merge/line-changes.ts";
import { StithyError } from "../../../lib/errors.ts";

const mark = "\uFEFF";
const anyEnding = /\r\n|\n|\r/g;

type Ending = "\n" | "\r\n" | "\r";

/** The text of a file as a browser's text area has it: without a byte order mark, and with line feeds alone. null for what is no UTF-8 text. */
export function typedText(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) {
    return null;
  }
  try {
    return plain(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return null;
  }
}

function plain(text: string): string {
  return text.replace(anyEnding, "\n");
}

/**
 * The bytes of a typed text with the line endings and the byte order mark of the file that it replaces: browsers send CRLF whatever the
 * file had. In a file that mixes endings, lines that did not change keep theirs. A new file has line feeds.
 */
export function withEndingsOf(before: Uint8Array | null, typed: string): Uint8Array {
  const text = plain(typed);
  if (before === null) {
    return Buffer.from(text);
  }
  const begin = Buffer.from(before.subarray(0, 3)).toString() === mark ? mark : "";
  const old = new TextDecoder().decode(before);
  const endings = old.match(anyEnding) as Ending[] | null;
  const main = mostOf(endings ?? []);
  const isMixed = endings?.some((ending) => ending !== main) === true;
  const lines = text.split("\n");
  const chosen = isMixed ? keptEndings(old, endings, text, lines.length, main) : null;
  let result = begin;
  for (const [index, line] of lines.entries()) {
    result += index === lines.length - 1 ? line : line + (chosen?.[index] ?? main);
  }
  return Buffer.from(result);
}

function mostOf(endings: readonly Ending[]): Ending {
  const counts = { "\n": 0, "\r\n": 0, "\r": 0 };
  for (const ending of endings) {
    counts[ending]++;
  }
  const windows: Ending = counts["\r"] > counts["\r\n"] ? "\r" : "\r\n";
  return counts[windows] > counts["\n"] ? windows : "\n";
}

/** The ending of each line of the new text: that of the same line in the old one, else the main one. */
function keptEndings(old: string, endings: readonly Ending[], text: string, count: number, main: Ending): Ending[] {
  const chosen = Array.from({ length: count }, () => main);
  try {
    let before = 0;
    let after = 0;
    const before8 = Buffer.from(plain(old));
    const end = { beforeStart: endings.length, afterStart: count, beforeCount: 0, afterCount: 0 };
    for (const change of [...changesBetween(before8, Buffer.from(text)), end]) {
      while (before < change.beforeStart && after < change.afterStart) {
        chosen[after++] = endings[before++] ?? main;
      }
      before = change.beforeStart + change.beforeCount;
      after = change.afterStart + change.afterCount;
    }
  } catch (error) {
    if (!(error instanceof StithyError)) {
      throw error;
    }
    // The texts take too long to compare (DiffTooCostly): all lines get the main ending.
  }
  return chosen;
}
