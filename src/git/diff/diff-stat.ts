import type { ObjectDatabase } from "../odb/object-database.ts";
import { countLinesOf } from "./change-stats.ts";
import type { FilePair, FileSide } from "./file-pair.ts";
import { isBinary } from "./line-counts.ts";
import { quotePath } from "./quote-path.ts";
import { contentOf, sizeOfSide } from "./side-content.ts";

/** How much one file changed, as a line of `git diff --stat` says it. */
export interface FileStat {
  /** the path, quoted where needed; of a renamed file both, with what they have in common written once */
  readonly name: string;
  /** lines; of a binary file the bytes of the new content */
  readonly added: number;
  /** lines; of a binary file the bytes of the old content */
  readonly deleted: number;
  readonly binary: boolean;
}

/** Throws MissingObject, CorruptPack. */
export function fileStat(odb: ObjectDatabase, pair: FilePair): FileStat {
  const { before, after } = pair;
  const name = displayName(pair);
  if (before !== null && after !== null && Buffer.compare(before.oid, after.oid) === 0) {
    const content = contentOf(odb, after);
    return { name, added: 0, deleted: 0, binary: content === null || isBinary(content) };
  }
  const { additions, deletions, binary } = countLinesOf(odb, pair);
  return binary
    ? { name, added: sizeOfSide(odb, after), deleted: sizeOfSide(odb, before), binary }
    : { name, added: additions, deleted: deletions, binary };
}

/** The text of `git diff --stat` for a line of so many columns, with the summary line. */
export function formatStats(stats: readonly FileStat[], columns: number): string {
  const layout = layoutOf(stats, columns);
  let text = "";
  let added = 0;
  let deleted = 0;
  for (const stat of stats) {
    text += formatLine(stat, layout);
    if (!stat.binary) {
      added += stat.added;
      deleted += stat.deleted;
    }
  }
  return text + formatTotals(stats.length, added, deleted);
}

/** The lines below the totals: files that are new or gone, renamed, or of another mode (`git diff --summary`). */
export function formatSummary(pairs: readonly FilePair[]): string {
  return pairs.map(summaryOf).join("");
}

function summaryOf(pair: FilePair): string {
  const { status, before, after, similarity } = pair;
  if (before === null || after === null) {
    const side = (before ?? after)!;
    return ` ${before === null ? "create" : "delete"} mode ${modeOf(side)} ${quotePath(pathBytes(side))}\n`;
  }
  const change = before.mode === after.mode ? "" : ` mode change ${modeOf(before)} => ${modeOf(after)}`;
  if (similarity !== null) {
    const verb = status === "copied" ? "copy" : "rename";
    return ` ${verb} ${displayName(pair)} (${similarity}%)\n${change === "" ? "" : `${change}\n`}`;
  }
  return change === "" ? "" : `${change} ${quotePath(pathBytes(after))}\n`;
}

interface Layout {
  readonly nameWidth: number;
  readonly numberWidth: number;
  readonly graphWidth: number;
  readonly largest: number;
}

/** Shares the columns between names and bars as git does: the bars get at most three eighths where both do not fit. */
function layoutOf(stats: readonly FileStat[], columns: number): Layout {
  let longest = 0;
  let largest = 0;
  let binaryWidth = 0;
  for (const { name, added, deleted, binary } of stats) {
    longest = Math.max(longest, name.length);
    if (binary) {
      binaryWidth = Math.max(binaryWidth, 14 + digits(added) + digits(deleted));
    } else {
      largest = Math.max(largest, added + deleted);
    }
  }
  const numberWidth = Math.max(digits(largest), binaryWidth > 0 ? 3 : 0);
  const width = Math.max(columns, 22 + numberWidth);
  let graphWidth = largest + 4 > binaryWidth ? largest : binaryWidth - 4;
  let nameWidth = longest;
  if (nameWidth + numberWidth + 6 + graphWidth > width) {
    const share = Math.floor((width * 3) / 8) - numberWidth - 6;
    if (graphWidth > share) {
      graphWidth = Math.max(share, 6);
    }
    if (nameWidth > width - numberWidth - 6 - graphWidth) {
      nameWidth = width - numberWidth - 6 - graphWidth;
    } else {
      graphWidth = width - numberWidth - 6 - nameWidth;
    }
  }
  return { nameWidth, numberWidth, graphWidth, largest };
}

function formatLine({ name, added, deleted, binary }: FileStat, layout: Layout): string {
  const start = ` ${fitName(name, layout.nameWidth).padEnd(layout.nameWidth)} | `;
  if (binary) {
    const sizes = added === 0 && deleted === 0 ? "" : ` ${deleted} -> ${added} bytes`;
    return `${start}${"Bin".padStart(layout.numberWidth)}${sizes}\n`;
  }
  const total = added + deleted;
  const [plus, minus] = bars(added, deleted, layout);
  return `${start}${String(total).padStart(layout.numberWidth)}${total > 0 ? " " : ""}${"+".repeat(plus)}${"-".repeat(minus)}\n`;
}

/** A name that is too long loses its beginning, if possible up to a slash. */
function fitName(name: string, width: number): string {
  if (name.length <= width) {
    return name;
  }
  const end = name.slice(name.length - (width - 3));
  const slash = end.indexOf("/");
  return `...${slash < 0 ? end : end.slice(slash)}`;
}

function bars(added: number, deleted: number, { graphWidth, largest }: Layout): [number, number] {
  if (graphWidth > largest) {
    return [added, deleted];
  }
  const scale = (count: number): number => (count === 0 ? 0 : 1 + Math.floor((count * (graphWidth - 1)) / largest));
  let total = scale(added + deleted);
  if (total < 2 && added > 0 && deleted > 0) {
    total = 2;
  }
  if (added < deleted) {
    const plus = scale(added);
    return [plus, total - plus];
  }
  const minus = scale(deleted);
  return [total - minus, minus];
}

function formatTotals(files: number, added: number, deleted: number): string {
  if (files === 0) {
    return " 0 files changed\n";
  }
  let text = ` ${files} ${files === 1 ? "file" : "files"} changed`;
  if (added > 0 || deleted === 0) {
    text += `, ${added} ${added === 1 ? "insertion" : "insertions"}(+)`;
  }
  if (deleted > 0 || added === 0) {
    text += `, ${deleted} ${deleted === 1 ? "deletion" : "deletions"}(-)`;
  }
  return `${text}\n`;
}

function displayName({ before, after, similarity }: FilePair): string {
  if (similarity === null || before === null || after === null) {
    return quotePath(pathBytes((after ?? before)!));
  }
  const [from, to] = [quotePath(pathBytes(before)), quotePath(pathBytes(after))];
  return from.startsWith('"') || to.startsWith('"') ? `${from} => ${to}` : joinNames(from, to);
}

/** `dir/{old => new}/file`: directories that both begin or end with are written once. */
function joinNames(from: string, to: string): string {
  let prefix = 0;
  for (let at = 0; at < from.length && at < to.length && from[at] === to[at]; at++) {
    if (from[at] === "/") {
      prefix = at + 1;
    }
  }
  let suffix = 0;
  // The slash at the end of the prefix may be the one at the start of the suffix.
  const least = prefix - (prefix > 0 ? 1 : 0);
  for (let back = 1; from.length - back >= least && to.length - back >= least; back++) {
    if (from[from.length - back] !== to[to.length - back]) {
      break;
    }
    if (from[from.length - back] === "/") {
      suffix = back;
    }
  }
  const middle = (name: string): string => name.slice(prefix, Math.max(prefix, name.length - suffix));
  const names = `${middle(from)} => ${middle(to)}`;
  return prefix + suffix === 0 ? names : `${from.slice(0, prefix)}{${names}}${from.slice(from.length - suffix)}`;
}

function digits(value: number): number {
  return String(value).length;
}

function pathBytes({ path, rawPath }: FileSide): Uint8Array {
  return rawPath ?? Buffer.from(path);
}

function modeOf(side: FileSide): string {
  return side.mode.toString(8).padStart(6, "0");
}
