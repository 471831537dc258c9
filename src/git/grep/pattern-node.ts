/** A pattern in pieces. Bytes are numbers from 0 to 255. */
export type PatternNode =
  | { readonly kind: "empty" }
  /** one byte of a set: 256 flags */
  | { readonly kind: "set"; readonly bytes: Uint8Array }
  | { readonly kind: "assertion"; readonly assertion: Assertion }
  | { readonly kind: "sequence" | "choice"; readonly parts: readonly PatternNode[] }
  /** so many times; no upper limit when `most` is null */
  | { readonly kind: "repeat"; readonly part: PatternNode; readonly least: number; readonly most: number | null };

/** A condition on a place between two bytes of a line. */
export type Assertion =
  | "line-start"
  | "line-end"
  | "word-start"
  | "word-end"
  | "word-edge"
  | "no-word-edge"
  | "no-word-before"
  | "no-word-after";

export const lineFeed = 0x0a;

export function singleByte(byte: number): PatternNode {
  const bytes = new Uint8Array(256);
  bytes[byte] = 1;
  return { kind: "set", bytes };
}

export function isWordByte(byte: number): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a) || byte === 0x5f
  );
}

/** A set with both cases of each ASCII letter that is in it. */
export function withBothCases(set: Uint8Array): Uint8Array {
  const bytes = set.slice();
  for (let letter = 0x41; letter <= 0x5a; letter++) {
    bytes[letter] = bytes[letter + 0x20] = set[letter]! | set[letter + 0x20]!;
  }
  return bytes;
}
