/** The prefix of a title that says that the pull request is not ready, in whatever case. */
function prefixOf(title: string, prefixes: readonly string[]): string | undefined {
  const lower = title.trimStart().toLowerCase();
  return prefixes.find((prefix) => lower.startsWith(prefix.toLowerCase()));
}

/** Whether a title says that the pull request is not ready: it begins with one of the prefixes. */
export function isDraftTitle(title: string, prefixes: readonly string[]): boolean {
  return prefixOf(title, prefixes) !== undefined;
}

/** The title that a pull request has when it is ready. */
export function readyTitle(title: string, prefixes: readonly string[]): string {
  return title
    .trimStart()
    .slice(prefixOf(title, prefixes)?.length ?? 0)
    .trim();
}

/** The title that says that it is not ready. Without a prefix that could say so, it stays. */
export function draftTitle(title: string, prefixes: readonly string[]): string {
  const [prefix] = prefixes;
  return prefix === undefined || isDraftTitle(title, prefixes) ? title : `${prefix} ${title.trimStart()}`;
}
