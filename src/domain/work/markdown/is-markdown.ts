const extension = /\.(md|markdown|mdown|mkd)$/i;

/** Whether the name of a file says that it is Markdown. */
export function isMarkdown(path: string): boolean {
  return extension.test(path);
}
