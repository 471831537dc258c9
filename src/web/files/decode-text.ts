/** A text, and how it was read out of its bytes. */
export interface DecodedText {
  readonly text: string;
  /** A name that people know, such as "UTF-16 (little-endian)". */
  readonly encoding: string;
  /** How many places held bytes that are no character of the encoding: each shows as U+FFFD. */
  readonly replaced: number;
}

const marks = [
  { bytes: [0xef, 0xbb, 0xbf], label: "utf-8", encoding: "UTF-8" },
  { bytes: [0xff, 0xfe], label: "utf-16le", encoding: "UTF-16 (little-endian)" },
  { bytes: [0xfe, 0xff], label: "utf-16be", encoding: "UTF-16 (big-endian)" },
] as const;

/** How many of the bytes that are no ASCII may be broken where the text still counts as UTF-8: one of so many characters. */
const brokenShare = 4;

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

/** Control characters that texts do not have. */
function hasBinaryBytes(bytes: Uint8Array): boolean {
  return bytes.some((byte) => byte < 0x09 || (byte > 0x0d && byte < 0x1b));
}

/**
 * Reads bytes as a text; null for those that are none. The order: a byte order mark; UTF-8; UTF-8 with some broken places; else
 * Windows-1252, in which every byte is a character. `isPart`: the bytes may end within a character.
 */
export function decodeText(bytes: Uint8Array, isPart = false): DecodedText | null {
  const mark = marks.find((one) => one.bytes.every((byte, index) => bytes[index] === byte));
  if (mark !== undefined) {
    const text = new TextDecoder(mark.label).decode(bytes, { stream: isPart });
    return { text, encoding: mark.encoding, replaced: count(text, /\uFFFD/g) };
  }
  if (bytes.includes(0)) {
    return null;
  }
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: isPart });
    return { text, encoding: "UTF-8", replaced: 0 };
  } catch {
    return decodeBroken(bytes, isPart);
  }
}

function decodeBroken(bytes: Uint8Array, isPart: boolean): DecodedText | null {
  const text = new TextDecoder("utf-8").decode(bytes, { stream: isPart });
  const replaced = count(text, /\uFFFD/g);
  const wider = count(text, /[\u0080-\uFFFC\u{10000}-\u{10FFFF}]/gu);
  if (wider >= replaced * brokenShare) {
    return { text, encoding: "UTF-8", replaced };
  }
  return hasBinaryBytes(bytes)
    ? null
    : { text: new TextDecoder("windows-1252").decode(bytes), encoding: "Windows-1252", replaced: 0 };
}
