import { findCheckedFile, ruleOf, type CheckedFileName } from "./checked-files.ts";
import type { ObjectFormat } from "./object-format.ts";
import { FileMode } from "./tree.ts";
import { isDotGit } from "./protected-names.ts";

const goodModes: ReadonlySet<number> = new Set(Object.values(FileMode));
/** Written by early versions of git and harmless: read as 0o100644. */
const groupWritableFile = 0o100664;
/** Beyond every mode, and far from where numbers end. */
const largestMode = 0o7777777;
/** git's own limit for what it writes to a file system. */
const longestName = 4096;

const [dot, slash, colon, backslash, tilde, space, zero, seven] = [0x2e, 0x2f, 0x3a, 0x5c, 0x7e, 0x20, 0x30, 0x37];
const [lowerA, lowerG, lowerI, lowerM, lowerT] = [0x61, 0x67, 0x69, 0x6d, 0x74];

/**
 * Checks a tree by the rules of `git fsck --strict`. Returns the fault, or null. `named` is called for each file whose
 * content is checked too, with the index of its oid in `bytes`.
 */
export function checkTree(
  bytes: Uint8Array,
  format: ObjectFormat,
  named: (file: CheckedFileName, oidAt: number) => void,
): string | null {
  /**
   * Where the names of files start and end that start those that follow: a directory of the same name may still come,
   * since it sorts later.
   */
  const files: number[] = [];
  let previousFrom = -1;
  let previousTo = -1;
  let previousIsTree = false;
  let at = 0;
  while (at < bytes.length) {
    const modeAt = at;
    let mode = 0;
    for (; at < bytes.length && bytes[at]! >= zero && bytes[at]! <= seven && mode <= largestMode; at++) {
      mode = mode * 8 + bytes[at]! - zero;
    }
    if (mode > largestMode) {
      return `badTree: cannot read the mode at byte ${modeAt}`;
    }
    const from = at + 1;
    const to = bytes.indexOf(0, from);
    if (at === modeAt || bytes[at] !== space || to < 0 || to + 1 + format.oidBytes > bytes.length) {
      return `badTree: cannot be parsed at byte ${modeAt}`;
    }
    const isTree = mode === FileMode.tree;
    const problem = checkEntry(bytes, mode, modeAt, from, to, format.oidBytes);
    if (problem !== null) {
      return problem;
    }
    if (previousFrom >= 0) {
      const order = compareNames(bytes, previousFrom, previousTo, previousIsTree, from, to, isTree);
      if (order > 0) {
        return `treeNotSorted: ${quoted(bytes, from, to)} comes after a name that sorts behind it`;
      }
      if (order === 0 || isTwin(bytes, files, from, to, isTree)) {
        return `duplicateEntries: has ${quoted(bytes, from, to)} twice`;
      }
    }
    if (!isTree) {
      files.push(from, to);
    }
    if (maybeProtected(bytes, from, to)) {
      const name = text(bytes, from, to);
      if (isDotGit(name)) {
        return `hasDotgit: has the name ${JSON.stringify(name)}, which is or looks like ".git"`;
      }
      const file = findCheckedFile(name);
      if (file !== null) {
        if (isTree) {
          return `${ruleOf(file, "Blob")}: ${JSON.stringify(name)} is a directory`;
        }
        if (mode !== FileMode.symlink) {
          named(file, to + 1);
        } else if (file === ".gitmodules") {
          return `gitmodulesSymlink: ${JSON.stringify(name)} is a symbolic link`;
        }
      }
    }
    previousFrom = from;
    previousTo = to;
    previousIsTree = isTree;
    at = to + 1 + format.oidBytes;
  }
  return null;
}

function checkEntry(
  bytes: Uint8Array,
  mode: number,
  modeAt: number,
  from: number,
  to: number,
  oidBytes: number,
): string | null {
  if (bytes[modeAt] === zero) {
    return `zeroPaddedFilemode: the mode of ${quoted(bytes, from, to)} starts with a zero`;
  }
  if (!goodModes.has(mode) && mode !== groupWritableFile) {
    return `badFilemode: ${mode.toString(8)} of ${quoted(bytes, from, to)} is no mode`;
  }
  if (from === to) {
    return "emptyName: has an entry without a name";
  }
  if (to - from > longestName) {
    return `largePathname: has a name of ${to - from} bytes`;
  }
  if (bytes[from] === dot && to - from === 1) {
    return 'hasDot: has the name "."';
  }
  if (bytes[from] === dot && bytes[from + 1] === dot && to - from === 2) {
    return 'hasDotdot: has the name ".."';
  }
  for (let at = from; at < to; at++) {
    if (bytes[at] === slash) {
      return `fullPathname: ${quoted(bytes, from, to)} holds a slash`;
    }
  }
  for (let at = to + 1; at <= to + oidBytes; at++) {
    if (bytes[at] !== 0) {
      return null;
    }
  }
  return `nullSha1: ${quoted(bytes, from, to)} has the null object id`;
}

/** Git's order: as bytes, a directory as if its name ended in a slash. Zero also for a file and a directory of one name. */
function compareNames(
  bytes: Uint8Array,
  leftFrom: number,
  leftTo: number,
  leftIsTree: boolean,
  from: number,
  to: number,
  isTree: boolean,
): number {
  const shared = Math.min(leftTo - leftFrom, to - from);
  for (let byte = 0; byte < shared; byte++) {
    const difference = bytes[leftFrom + byte]! - bytes[from + byte]!;
    if (difference !== 0) {
      return difference;
    }
  }
  if (leftTo - leftFrom === to - from) {
    return 0;
  }
  const left = leftTo - leftFrom > shared ? bytes[leftFrom + shared]! : leftIsTree ? slash : 0;
  const right = to - from > shared ? bytes[from + shared]! : isTree ? slash : 0;
  return left - right;
}

/** Drops the files whose name does not start this one, and tells whether one is the same as this directory's. */
function isTwin(bytes: Uint8Array, files: number[], from: number, to: number, isTree: boolean): boolean {
  while (files.length > 0) {
    const fileFrom = files[files.length - 2]!;
    const fileTo = files[files.length - 1]!;
    if (startsWith(bytes, from, to, fileFrom, fileTo)) {
      return isTree && fileTo - fileFrom === to - from;
    }
    files.length -= 2;
  }
  return false;
}

function startsWith(bytes: Uint8Array, from: number, to: number, prefixFrom: number, prefixTo: number): boolean {
  if (prefixTo - prefixFrom > to - from) {
    return false;
  }
  for (let byte = 0; byte < prefixTo - prefixFrom; byte++) {
    if (bytes[prefixFrom + byte] !== bytes[from + byte]) {
      return false;
    }
  }
  return true;
}

/** Most names can be told apart from the protected ones by a look at some bytes, without making a string. */
function maybeProtected(bytes: Uint8Array, from: number, to: number): boolean {
  const first = bytes[from]!;
  const second = bytes[from + 1]!;
  // A tilde, "gi" in any case, or what may be a code point that HFS+ leaves out.
  if (
    first === tilde ||
    first >= 0xe2 ||
    ((first | 0x20) === lowerG && ((second | 0x20) === lowerI || second >= 0x7e))
  ) {
    return true;
  }
  let isAscii = true;
  for (let at = from; at < to; at++) {
    if (bytes[at] === backslash) {
      return true;
    }
    isAscii &&= bytes[at]! < 0x80;
  }
  return first === dot && (!isAscii || startsAsDotGit(bytes, from, to));
}

/** Whether a name begins like `.git`, `.gitmodules` or `.gitattributes` as far as Windows tells them apart from `.github` and the like. */
function startsAsDotGit(bytes: Uint8Array, from: number, to: number): boolean {
  if (
    to - from < 4 ||
    (bytes[from + 1]! | 0x20) !== lowerG ||
    (bytes[from + 2]! | 0x20) !== lowerI ||
    (bytes[from + 3]! | 0x20) !== lowerT
  ) {
    return false;
  }
  const next = bytes[from + 4]!;
  return (
    to - from === 4 ||
    next === dot ||
    next === space ||
    next === colon ||
    (next | 0x20) === lowerM ||
    (next | 0x20) === lowerA
  );
}

function quoted(bytes: Uint8Array, from: number, to: number): string {
  return JSON.stringify(text(bytes, from, Math.min(to, from + 100)));
}

function text(bytes: Uint8Array, from: number, to: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString("utf8");
}
