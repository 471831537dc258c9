/** Returns the text as one word of a POSIX shell, in quotes if it needs them. */
export function shellQuote(text: string): string {
  return /^[\w./:@%+=,~-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
