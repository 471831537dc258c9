import downdoc from "downdoc";

const longestText = 256 * 1024;
/** The library reads each line by itself, with expressions that take time that grows with the square of the line. */
const longestLine = 4000;
/*
 * The value of an attribute stands wherever the text names it, also in the values of others: without these limits a text of 1 KB becomes one
 * of gigabytes.
 */
const mostReferences = 5000;
const longestValue = 200;
const mostNamingOthers = 20;
const longestMarkdown = 1024 * 1024;

/** Markdown of a text in AsciiDoc; null for one that is too large for that. Nothing of other files is included. */
export function fromAsciidoc(text: string): string | null {
  const lines = text.split(/\r?\n/);
  if (
    text.length > longestText ||
    lines.some((line) => line.length > longestLine) ||
    text.split("{").length > mostReferences
  ) {
    return null;
  }
  let namingOthers = 0;
  const kept = lines.filter((line) => {
    if (!line.startsWith(":")) {
      return true;
    }
    const names = line.split("{").length - 1;
    namingOthers += names > 0 ? 1 : 0;
    return line.length <= longestValue && names <= 1 && namingOthers <= mostNamingOthers;
  });
  const markdown = downdoc(kept.join("\n"));
  return markdown.length > longestMarkdown ? null : markdown;
}
