/** Whether a title says that the pull request is not ready: it begins with one of the prefixes, in whatever case. */
export function isDraftTitle(title: string, prefixes: readonly string[]): boolean {
  const lower = title.trimStart().toLowerCase();
  return prefixes.some((prefix) => lower.startsWith(prefix.toLowerCase()));
}
