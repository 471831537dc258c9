import type { TextLines } from "./compact-changes.ts";
import { isSpace, type Whitespace } from "./ignore-whitespace.ts";
import type { LineChange, TextDiff } from "./text-diff.ts";

export interface HunkOptions {
  /** unchanged lines shown around each change */
  readonly context: number;
  /** leave out changes of empty lines alone, unless they are near to others (`--ignore-blank-lines`) */
  readonly ignoreBlankLines: boolean;
  /** which lines count as empty: without "significant" those of whitespace too */
  readonly whitespace: Whitespace;
}

/** The changes of each hunk: those whose context meets are together. */
export function groupChanges(diff: TextDiff, options: HunkOptions): LineChange[][] {
  const { changes } = diff;
  const ignored = changes.map((change) => options.ignoreBlankLines && isBlankChange(diff, change, options.whitespace));
  const groups: LineChange[][] = [];
  for (let next = 0; next < changes.length;) {
    const first = skipIgnored(changes, ignored, next, options.context);
    if (first === changes.length) {
      break;
    }
    const last = lastOfGroup(changes, ignored, first, options.context);
    groups.push(changes.slice(first, last + 1));
    next = last + 1;
  }
  return groups;
}

/** The first change from `start` on that is shown: ignored ones are passed over while they are far from the next. */
function skipIgnored(
  changes: readonly LineChange[],
  ignored: readonly boolean[],
  start: number,
  context: number,
): number {
  let first = start;
  for (let at = start; at < changes.length && ignored[at] === true; at++) {
    const next = changes[at + 1];
    if (next === undefined || next.before - endOf(changes[at]!) >= context) {
      first = at + 1;
    }
  }
  return first;
}

/** The last change of the group that begins at `first`; ignored changes at its end do not prolong it. */
function lastOfGroup(
  changes: readonly LineChange[],
  ignored: readonly boolean[],
  first: number,
  context: number,
): number {
  let last = first;
  let ignoredLines = 0;
  for (let at = first + 1; at < changes.length; at++) {
    const change = changes[at]!;
    const distance = change.before - endOf(changes[at - 1]!);
    if (distance > 2 * context) {
      break;
    }
    const isIgnored = ignored[at] === true;
    if (distance < context && (!isIgnored || last === at - 1)) {
      last = at;
      ignoredLines = 0;
    } else if (distance < context && isIgnored) {
      ignoredLines += change.added;
    } else if (last !== at - 1 && change.before + ignoredLines - endOf(changes[last]!) > 2 * context) {
      break;
    } else if (isIgnored) {
      ignoredLines += change.added;
    } else {
      last = at;
      ignoredLines = 0;
    }
  }
  return last;
}

function endOf(change: LineChange): number {
  return change.before + change.removed;
}

function isBlankChange(diff: TextDiff, change: LineChange, whitespace: Whitespace): boolean {
  return (
    areBlank(diff.before, change.before, change.before + change.removed, whitespace) &&
    areBlank(diff.after, change.after, change.after + change.added, whitespace)
  );
}

function areBlank({ bytes, starts }: TextLines, from: number, to: number, whitespace: Whitespace): boolean {
  if (whitespace === "significant") {
    for (let line = from; line < to; line++) {
      if (starts[line + 1]! - starts[line]! > 1) {
        return false;
      }
    }
    return true;
  }
  return bytes.subarray(starts[from], starts[to]).every(isSpace);
}
