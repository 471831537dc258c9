/** Bytes of a message, or of other text in a commit or tag, that are shown. */
let shownBytes = 1024 * 1024;

/** Sets how much of a text is shown: once, when a worker starts. */
export function limitShownText(bytes: number): void {
  shownBytes = bytes;
}

/** Whether an object is so large that texts in it may have to be cut. */
export function isCut(bytes: Uint8Array): boolean {
  return bytes.length > shownBytes;
}

/** The headers of a commit or tag and as much of its message as is shown; no character is cut in two. */
export function shownObject(bytes: Uint8Array): Uint8Array {
  if (!isCut(bytes)) {
    return bytes;
  }
  const blank = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf("\n\n");
  let end = Math.min(bytes.length, (blank < 0 ? 0 : blank + 2) + shownBytes);
  while (end < bytes.length && end > 0 && (bytes[end]! & 0xc0) === 0x80) {
    end--;
  }
  return bytes.subarray(0, end);
}
