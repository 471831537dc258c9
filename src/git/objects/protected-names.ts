/**
 * Names that some file system takes for another one. A tree that holds one would, when checked out there, write into
 * the repository itself or slip a symlink under a file that git reads.
 *
 * HFS+ ignores case and certain code points; NTFS ignores case and trailing dots and spaces, takes what follows a colon
 * for a stream, and knows files by short names such as `GIT~1` too.
 */

/** Code points that HFS+ leaves out when it compares names. */
const ignoredByHfs = /[\u200C-\u200F\u202A-\u202E\u206A-\u206F\uFEFF]/g;

const ntfsDotGit = /^(?:\.git|git~1)[. ]*(?:$|[\\/:])/i;
const ntfsDotGitmodules = ntfsName("gitmodules", "gi7eba");
const ntfsDotGitattributes = ntfsName("gitattributes", "gi7d29");

/** Whether a file system may take `name` for `.git`, also behind a backslash, which separates directories on Windows. */
export function isDotGit(name: string): boolean {
  return asHfsSees(name) === ".git" || segments(name).some((segment) => ntfsDotGit.test(segment));
}

/** Whether a file system may take `name` for `.gitmodules`. */
export function isDotGitmodules(name: string): boolean {
  return asHfsSees(name) === ".gitmodules" || segments(name).some((segment) => ntfsDotGitmodules.test(segment));
}

/** Whether a file system may take `name` for `.gitattributes`. Git does not look behind a backslash for this one. */
export function isDotGitattributes(name: string): boolean {
  return asHfsSees(name) === ".gitattributes" || ntfsDotGitattributes.test(name);
}

/** Up to the first bytes that are not UTF-8, which were decoded to U+FFFD: to git a name that goes on with them is suspicious. */
function asHfsSees(name: string): string {
  return name.split("\uFFFD", 1)[0]!.replaceAll(ignoredByHfs, "").toLowerCase();
}

/** The name, and what follows each backslash in it. */
function segments(name: string): string[] {
  const parts = name.split("\\");
  return parts.map((_, first) => parts.slice(first).join("\\"));
}

/**
 * Matches the names that NTFS treats as the file `.<name>`; `hashed` is the beginning of its short names when the first
 * four are taken.
 */
function ntfsName(name: string, hashed: string): RegExp {
  return new RegExp(`^(?:\\.${name}|${name.slice(0, 6)}~[1-4]|${shortNames(hashed).join("|")})[. ]*(?:$|:)`, "i");
}

/**
 * When `~1` to `~4` are taken, NTFS makes a short name of a hash of the long one: eight characters of which the number
 * behind the tilde takes as many as it needs.
 */
function shortNames(hashed: string): string[] {
  return Array.from({ length: 7 }, (_, kept) => `${hashed.slice(0, kept)}~[1-9][0-9]{${6 - kept}}`);
}
