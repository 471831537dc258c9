import { lineStarts } from "../diff/line-table.ts";
import type { ConflictStyle } from "./merge-text.ts";
import type { Region } from "./text-regions.ts";

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** A text and where its lines start. A line includes its line feed. */
export class LinedText {
  readonly count: number;
  readonly #starts: Int32Array;

  constructor(readonly bytes: Uint8Array) {
    this.#starts = lineStarts(bytes);
    this.count = this.#starts.length - 1;
  }

  slice(line: number, count: number): Uint8Array {
    return this.bytes.subarray(this.#starts[line]!, this.#starts[line + count]!);
  }

  hasAlphanumeric(line: number, count: number): boolean {
    return this.slice(line, count).some(
      (byte) => (byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a),
    );
  }

  /** Whether a line ends in CR LF; a last line without an end is judged by the one before it. Null when nothing says. */
  endsInCrLf(line: number): boolean | null {
    if (this.count === 0) {
      return null;
    }
    const end = this.#starts[line + 1]!;
    if (line < this.count - 1 || this.bytes[end - 1] === lineFeed) {
      return end - this.#starts[line]! > 1 && this.bytes[end - 2] === carriageReturn;
    }
    return line === 0 ? null : this.endsInCrLf(line - 1);
  }
}

interface Texts {
  readonly base: LinedText;
  readonly ours: LinedText;
  readonly theirs: LinedText;
}

/** Returns the merged text: equal lines, changes of one side, and marked conflicts (or their resolutions). */
export function writeMerged(
  texts: Texts,
  regions: readonly Region[],
  options: ConflictStyle & { readonly favor: "ours" | "theirs" | "union" | null },
): Uint8Array {
  const { ours, theirs } = texts;
  const parts: Uint8Array[] = [];
  let done = 0;
  for (const region of regions) {
    if (region.origin === "same") {
      continue;
    }
    parts.push(ours.slice(done, region.ours - done));
    const take = region.origin === "conflict" ? options.favor : region.origin;
    if (take === null) {
      parts.push(...conflict(texts, region, options));
    } else {
      if (take !== "theirs") {
        parts.push(...completed(ours.slice(region.ours, region.oursCount), take === "union", needsCr(texts, region)));
      }
      if (take !== "ours") {
        parts.push(theirs.slice(region.theirs, region.theirsCount));
      }
    }
    done = region.ours + region.oursCount;
  }
  parts.push(ours.slice(done, ours.count - done));
  return Buffer.concat(parts);
}

function conflict(texts: Texts, region: Region, { style, markerSize, labels }: ConflictStyle): Uint8Array[] {
  const cr = needsCr(texts, region);
  const marker = (character: string, label: string | null): Uint8Array =>
    Buffer.from(`${character.repeat(markerSize)}${label === null ? "" : ` ${label}`}${cr ? "\r\n" : "\n"}`, "utf8");
  return [
    marker("<", labels.ours),
    ...completed(texts.ours.slice(region.ours, region.oursCount), true, cr),
    ...(style === "diff3"
      ? [marker("|", labels.base), ...completed(texts.base.slice(region.base, region.baseCount), true, cr)]
      : []),
    marker("=", null),
    ...completed(texts.theirs.slice(region.theirs, region.theirsCount), true, cr),
    marker(">", labels.theirs),
  ];
}

/** Lines, with an end of line after the last one where that has none and something follows. */
function completed(lines: Uint8Array, followed: boolean, cr: boolean): Uint8Array[] {
  return followed && lines.length > 0 && lines.at(-1) !== lineFeed ? [lines, Buffer.from(cr ? "\r\n" : "\n")] : [lines];
}

/** Whether the lines around a region end in CR LF, so that added ends of lines should too. */
function needsCr({ base, ours, theirs }: Texts, region: Region): boolean {
  let needs = ours.endsInCrLf(Math.max(0, region.ours - 1));
  if (needs !== false) {
    needs = theirs.endsInCrLf(Math.max(0, region.theirs - 1));
  }
  if (needs !== false) {
    needs = base.endsInCrLf(0);
  }
  return needs === true;
}
