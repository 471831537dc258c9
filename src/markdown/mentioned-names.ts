import { linesOutsideCode } from "./lines-outside-code.ts";
import { patterns } from "./references.ts";

/** So many different users a text can call. */
const mostNames = 100;

/** The names after "@" in a Markdown text, in lower case and each once, at most 100. What stands in code is no name. */
export function mentionedNames(text: string): string[] {
  const pattern = new RegExp(patterns.user, "g");
  const names = new Set<string>();
  for (const line of linesOutsideCode(text)) {
    for (const { groups } of line.matchAll(pattern)) {
      if (names.size >= mostNames) {
        return [...names];
      }
      names.add((groups?.["name"] ?? "").toLowerCase());
    }
  }
  return [...names];
}
