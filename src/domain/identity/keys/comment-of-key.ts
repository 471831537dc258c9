/** Returns the comment at the end of a public key's line, which usually names its machine; empty if there is none. */
export function commentOfKey(text: string): string {
  const [line = ""] = text.trim().split(/[\r\n]/);
  return line
    .split(/[ \t]+/)
    .slice(2)
    .join(" ");
}
