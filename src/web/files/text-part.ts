import { decodeText, type DecodedText } from "./decode-text.ts";
import type { FileContent } from "./open-file.ts";

/** A part of a large text, bytes. */
export const partBytes = 512 * 1024;
/** Beyond so many parts a text is only sent as it is: to number the lines of a part, all before it is read. */
const mostParts = 32;
/** So far back from the end of a part a line may begin that belongs to the next one as a whole. */
const longestTail = 64 * 1024;

/** A text, or the part of it that a page shows. */
export interface TextPart extends DecodedText {
  /** The line that it begins with, from 1. */
  readonly firstLine: number;
  /** From 1. */
  readonly number: number;
  /** How many parts the page can show. */
  readonly parts: number;
  /** Bytes of the file, [from, to). */
  readonly from: number;
  readonly to: number;
}

/** Reads `?part=`, from 1. */
export function partOf(query: URLSearchParams): number {
  const text = query.get("part") ?? "1";
  return /^[1-9]\d?$/.test(text) ? Number(text) : 1;
}

/** Where a part ends: behind the last line that ends in it, or in the middle of a line that is longer than that. */
function endOf(bytes: Uint8Array, part: number): number {
  const end = part * partBytes;
  if (end >= bytes.length) {
    return bytes.length;
  }
  const line = bytes.lastIndexOf(0x0a, end - 1);
  if (line >= end - longestTail) {
    return line + 1;
  }
  // Not within a character of UTF-8.
  let at = end;
  while (at > end - 4 && ((bytes[at] ?? 0) & 0xc0) === 0x80) {
    at--;
  }
  return at;
}

function countLines(bytes: Uint8Array): number {
  let lines = 0;
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) {
    lines++;
  }
  return lines;
}

/** Reads a part of a text. null: the file is no text, or has no such part. */
export async function readPart(content: FileContent, number: number): Promise<TextPart | null> {
  const parts = Math.min(mostParts, Math.max(1, Math.ceil(content.size / partBytes)));
  if (number > parts) {
    return null;
  }
  const bytes = await content.read(0, number * partBytes + 4);
  const from = number === 1 ? 0 : endOf(bytes, number - 1);
  const to = endOf(bytes, number);
  const decoded = decodeText(bytes.subarray(from, to), to < content.size);
  return decoded && { ...decoded, firstLine: 1 + countLines(bytes.subarray(0, from)), number, parts, from, to };
}
