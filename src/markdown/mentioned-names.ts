import { patterns } from "./references.ts";

/** So many different users a text can call. */
const mostNames = 100;

/**
 * The names after "@" in a Markdown text, in lower case and each once, at most 100. What stands in code is no name. It reads
 * lines and no grammar, so that it takes no longer for a text made to keep a parser busy.
 */
export function mentionedNames(text: string): string[] {
  const pattern = new RegExp(patterns.user, "g");
  const names = new Set<string>();
  let fence: string | null = null;
  for (const line of text.split("\n")) {
    const mark: string | undefined = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== null) {
      fence = mark?.startsWith(fence) === true ? null : fence;
      continue;
    }
    if (mark !== undefined) {
      fence = mark;
      continue;
    }
    for (const { groups } of line.replace(/`[^`]*`/g, " ").matchAll(pattern)) {
      if (names.size >= mostNames) {
        return [...names];
      }
      names.add((groups?.["name"] ?? "").toLowerCase());
    }
  }
  return [...names];
}
