/**
 * The lines of a Markdown text without what stands in code. It reads lines and no grammar, so that it takes no longer for a text
 * made to keep a parser busy.
 */
export function* linesOutsideCode(text: string): Generator<string> {
  let fence: string | null = null;
  for (const line of text.split("\n")) {
    const mark: string | undefined = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== null) {
      fence = mark?.startsWith(fence) === true ? null : fence;
    } else if (mark === undefined) {
      yield line.replace(/`[^`]*`/g, " ");
    } else {
      fence = mark;
    }
  }
}
