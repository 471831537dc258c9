/**
 * The resource that an operation belongs to, which names the files that describe it: the first two words of its path
 * that are no parameters. `/repos/{owner}/{repo}/branches/{branch}` is of `repos-branches`, `/user/emails` of
 * `user-emails`. Two people who add two resources write to different files.
 */
export function resourceOf(path: string): string {
  const words = path
    .replace(/^\/api\/v1/, "")
    .split("/")
    .map((part) => part.replace(/\{[^}]*\}/g, "").replace(/[^\w-]/g, ""))
    .filter((part) => /\w/.test(part));
  return words.slice(0, 2).join("-") || "root";
}
