const signatures: readonly { type: string; matches: (text: string) => boolean }[] = [
  { type: "image/png", matches: (text) => text.startsWith("\x89PNG\r\n\x1a\n") },
  { type: "image/jpeg", matches: (text) => text.startsWith("\xff\xd8\xff") },
  { type: "image/gif", matches: (text) => /^GIF8[79]a/.test(text) },
  { type: "image/webp", matches: (text) => text.startsWith("RIFF") && text.startsWith("WEBP", 8) },
];

/** The media type of a picture, told by its first 12 bytes; null for everything that is not served as one. */
export function pictureType(head: Uint8Array): string | null {
  const text = Buffer.from(head.subarray(0, 12)).toString("latin1");
  return signatures.find(({ matches }) => matches(text))?.type ?? null;
}
