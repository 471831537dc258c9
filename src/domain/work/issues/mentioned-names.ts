import { textOutsideCode } from "../../../markdown/text-outside-code.ts";
import { mostReferences, patterns } from "../../../markdown/references.ts";

/** So many different users a text can call. */
const mostNames = 100;

/** The names after "@" in a Markdown text, in lower case and each once, at most 100, out of the first `mostReferences`. Names in code do not count. */
export function mentionedNames(text: string): string[] {
  const pattern = new RegExp(patterns.user, "g");
  const names = new Set<string>();
  let read = 0;
  for (const piece of textOutsideCode(text)) {
    for (const { groups } of piece.matchAll(pattern)) {
      if (names.size >= mostNames || read++ >= mostReferences) {
        return [...names];
      }
      names.add((groups?.["name"] ?? "").toLowerCase());
    }
  }
  return [...names];
}
