/**
 * Where the first character begins that git does not take for UTF-8 (also U+FFFE and U+FFFF), or the length of the text.
 * Git cuts the heading of a hunk there, which may end in the middle of a character.
 */
export function firstInvalidUtf8(text: Uint8Array): number {
  let at = 0;
  while (at < text.length) {
    if (text[at]! < 0x80) {
      at++;
      continue;
    }
    const length = characterLength(text, at);
    if (length === 0) {
      return at;
    }
    at += length;
  }
  return at;
}

/** Bytes of the character at `at`, which is none of ASCII; 0 when there is none. */
function characterLength(text: Uint8Array, at: number): number {
  const [first, second, third, fourth] = [text[at]!, text[at + 1] ?? 0, text[at + 2] ?? 0, text[at + 3] ?? 0];
  if (first >= 0xc2 && first < 0xe0) {
    return continues(second) ? 2 : 0;
  }
  if (first >= 0xe0 && first < 0xf0) {
    const overlong = first === 0xe0 && second < 0xa0;
    const surrogate = first === 0xed && second >= 0xa0;
    const none = first === 0xef && second === 0xbf && third >= 0xbe;
    return continues(second) && continues(third) && !overlong && !surrogate && !none ? 3 : 0;
  }
  if (first >= 0xf0 && first < 0xf5) {
    const overlong = first === 0xf0 && second < 0x90;
    const beyond = first === 0xf4 && second > 0x8f;
    return continues(second) && continues(third) && continues(fourth) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

function continues(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
