import { trimEndOf, trimOf } from "../../lib/trim-text.ts";

/**
 * A text as git stores messages: no blank lines at its ends, one between paragraphs, nothing invisible at the ends of
 * lines, and a line feed at its end unless it is empty.
 */
export function stripSpace(text: string): string {
  const lines = text.split("\n").map((line) => trimEndOf(line, " \t\r\f\v"));
  const kept = lines.filter((line, at) => line !== "" || (at > 0 && lines[at - 1] !== ""));
  const stripped = trimOf(kept.join("\n"), "\n");
  return stripped === "" ? "" : `${stripped}\n`;
}
