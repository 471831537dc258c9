import type { Hunk } from "./file-patch.ts";
import type { LineReader } from "./line-reader.ts";
import { PatchRefused } from "./patch-refused.ts";

const header = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/;
const space = 0x20;
const minus = 0x2d;
const plus = 0x2b;
const backslash = 0x5c;
const lineFeed = 0x0a;

export function isHunkHeader(text: string | null): boolean {
  return text !== null && header.test(text);
}

/** Reads one hunk of the unified format, from its header on. Throws PatchRefused. */
export function parseHunk(lines: LineReader, path: string): Hunk {
  const match = header.exec(lines.text() ?? "");
  if (match === null) {
    throw new PatchRefused(
      `Cannot read the patch of "${path}" at line ${lines.number}: it is no header of a hunk`,
      path,
    );
  }
  let oldLeft = Number(match[2] ?? 1);
  let newLeft = Number(match[4] ?? 1);
  const before: Uint8Array[] = [];
  const after: Uint8Array[] = [];
  let trailing = 0;
  lines.next();
  while (oldLeft > 0 || newLeft > 0) {
    const line = lines.peek();
    const sign = line === null ? -1 : line[0] === lineFeed ? space : line[0]!;
    if (line === null || (sign !== space && sign !== minus && sign !== plus)) {
      throw new PatchRefused(`Cannot read the patch of "${path}": it is damaged at line ${lines.number}`, path);
    }
    const content = line[0] === lineFeed ? line : line.subarray(1);
    lines.next();
    const whole = lines.peek()?.[0] === backslash ? withoutLineFeed(content) : content;
    if (whole !== content) {
      lines.next();
    }
    if (sign !== plus) {
      before.push(whole);
      oldLeft--;
    }
    if (sign !== minus) {
      after.push(whole);
      newLeft--;
    }
    trailing = sign === space ? trailing + 1 : 0;
  }
  if (oldLeft < 0 || newLeft < 0) {
    throw new PatchRefused(
      `Cannot read the patch of "${path}": a hunk before line ${lines.number} has not the lines that it names`,
      path,
    );
  }
  return { oldStart: Number(match[1]), newStart: Number(match[3]), before, after, trailing };
}

function withoutLineFeed(line: Uint8Array): Uint8Array {
  return line.at(-1) === lineFeed ? line.subarray(0, -1) : line;
}
