const letters: Readonly<Record<number, string>> = {
  0x07: "a",
  0x08: "b",
  0x09: "t",
  0x0a: "n",
  0x0b: "v",
  0x0c: "f",
  0x0d: "r",
  0x22: '"',
  0x5c: "\\",
};

/**
 * A path as git prints it: as it is, or in double quotes with escapes when there are control characters, quotes,
 * backslashes or bytes that are not ASCII in it (core.quotePath).
 */
export function quotePath(path: Uint8Array): string {
  const inner = escaped(path);
  return inner === null ? Buffer.from(path).toString("latin1") : `"${inner}"`;
}

function escaped(path: Uint8Array): string | null {
  if (path.every(isPlain)) {
    return null;
  }
  let text = "";
  for (const byte of path) {
    const letter = letters[byte];
    if (letter !== undefined) {
      text += `\\${letter}`;
    } else if (isPlain(byte)) {
      text += String.fromCharCode(byte);
    } else {
      text += `\\${byte.toString(8).padStart(3, "0")}`;
    }
  }
  return text;
}

function isPlain(byte: number): boolean {
  return byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c;
}
