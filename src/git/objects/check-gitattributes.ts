/**
 * How much git reads of such a file, in bytes. Source: ATTR_MAX_FILE_SIZE and ATTR_MAX_LINE_LENGTH, in gitattributes(5)
 * under "Notes".
 */
const largestBytes = 100 * 1024 * 1024;
const longestLine = 2047;
const [newline, nul] = [0x0a, 0];

/** Checks the content of a `.gitattributes` file. Returns the fault if it is more than git reads, else null. */
export function checkGitattributes(bytes: Uint8Array): string | null {
  if (bytes.length > largestBytes) {
    return `gitattributesLarge: has ${bytes.length} bytes`;
  }
  // Git looks no further than to a NUL.
  const nulAt = bytes.indexOf(nul);
  const end = nulAt < 0 ? bytes.length : nulAt;
  for (let at = 0; at < end;) {
    const found = bytes.indexOf(newline, at);
    const lineEnd = found < 0 ? end : Math.min(found, end);
    if (lineEnd - at > longestLine) {
      return `gitattributesLineLength: has a line of ${lineEnd - at} bytes`;
    }
    at = lineEnd + 1;
  }
  return null;
}
