const extension = /\.(md|markdown|mdown|mkd)$/i;

/** Whether the name of a file says that it is Markdown. */
export function isMarkdown(path: string): boolean {
  return extension.test(path);
}

/** Whether the name of a file says that it is AsciiDoc. */
export function isAsciidoc(path: string): boolean {
  return /\.(adoc|asciidoc)$/i.test(path);
}
