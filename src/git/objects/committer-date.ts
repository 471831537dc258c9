/** The seconds in the line of a commit after the author's, which starts at `at`: `committer Name <mail> SECONDS ZONE`. 0 when they cannot be read. */
export function committerDate(bytes: Uint8Array, at: number): number {
  const start = bytes.indexOf(10, at) + 1;
  const end = bytes.indexOf(10, start);
  const close = bytes.lastIndexOf(0x3e, end);
  if (start === 0 || close < start) {
    return 0;
  }
  let seconds = 0;
  for (let digit = close + 2; bytes[digit]! >= 48 && bytes[digit]! <= 57; digit++) {
    seconds = seconds * 10 + bytes[digit]! - 48;
  }
  return seconds;
}
