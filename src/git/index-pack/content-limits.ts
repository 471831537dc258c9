import { ObjectType, typeName } from "../objects/object-type.ts";

/** How long the texts in received objects may be: a few bytes of pack can stand for much that everybody has to carry. */
export interface ContentLimits {
  /** of a commit or tag without its message: parents, signatures, names */
  readonly headerBytes: number;
  /** of the message of a commit or tag */
  readonly messageBytes: number;
  /** of the path of a file or directory */
  readonly pathBytes: number;
}

const lineFeed = 0x0a;

/**
 * Names the part of a commit or tag, `bytes[at..at + size)`, that is too long, as the end of a sentence; null if none
 * is.
 */
export function findTooLong(
  type: ObjectType,
  bytes: Uint8Array,
  at: number,
  size: number,
  { headerBytes, messageBytes }: ContentLimits,
): string | null {
  if ((type !== ObjectType.commit && type !== ObjectType.tag) || size <= Math.min(headerBytes, messageBytes)) {
    return null;
  }
  // The headers end at an empty line.
  let end = at;
  do {
    end = bytes.indexOf(lineFeed, end) + 1;
  } while (end > 0 && end < at + size && bytes[end] !== lineFeed);
  const headers = end <= at || end > at + size ? size : end - at;
  const message = Math.max(0, size - headers - 1);
  if (headers > headerBytes) {
    return `the headers of a ${typeName(type)} have ${headers} bytes, where ${headerBytes} are allowed`;
  }
  return message > messageBytes
    ? `the message of a ${typeName(type)} has ${message} bytes, where ${messageBytes} are allowed`
    : null;
}

/** At least as long as the longest name in a tree, `bytes[at..at + size)`. */
export function longestNameIn(bytes: Uint8Array, at: number, size: number, oidBytes: number): number {
  const end = at + size;
  let longest = 0;
  for (let start = at; start < end;) {
    const nul = bytes.indexOf(0, start);
    if (nul < 0 || nul >= end) {
      return longest;
    }
    // Before the name stands a mode of five or six digits and a space.
    longest = Math.max(longest, nul - start - "40000 ".length);
    start = nul + 1 + oidBytes;
  }
  return longest;
}
