/**
 * A text as git stores messages: no blank lines at its ends, one between paragraphs, nothing invisible at the ends of
 * lines, and a line feed at its end unless it is empty.
 */
export function stripSpace(text: string): string {
  const lines = text.split("\n").map((line) => line.replace(/[ \t\r\f\v]+$/, ""));
  const kept = lines.filter((line, at) => line !== "" || (at > 0 && lines[at - 1] !== ""));
  const stripped = kept.join("\n").replace(/^\n+|\n+$/g, "");
  return stripped === "" ? "" : `${stripped}\n`;
}
