/**
 * Finds paths of files that are the same in any case, and paths that are a file as well as a directory: no module has
 * such, since not every file system does. Source: golang.org/x/mod/zip, collisionChecker.
 */
export class PathCollisions {
  readonly #known = new Map<string, { path: string; isDirectory: boolean }>();

  /** Takes a path in. Returns what is wrong with it, or null. */
  add(path: string, isDirectory: boolean): string | null {
    const key = foldCase(path);
    const other = this.#known.get(key);
    if (other === undefined) {
      this.#known.set(key, { path, isDirectory });
    } else if (other.path !== path) {
      return `differs from "${other.path}" only in case`;
    } else if (other.isDirectory !== isDirectory) {
      return "is both a file and a directory";
    } else if (isDirectory) {
      // Its parents are known, too.
      return null;
    } else {
      return "is there twice";
    }
    const slash = path.lastIndexOf("/");
    return slash < 0 ? null : this.add(path.slice(0, slash), true);
  }
}

/** Simple case folding: a letter that becomes several, such as "ß", stays as it is, and so do the Turkish dotted and dotless i. */
export function foldCase(text: string): string {
  return /^[\x20-\x7e]*$/.test(text) ? text.toLowerCase() : [...text].map(foldLetter).join("");
}

function foldLetter(letter: string): string {
  if (letter === "ı" || letter === "İ") {
    return letter;
  }
  const upper = letter.toUpperCase();
  const lower = (upper.length === letter.length || upper.length === 1 ? upper : letter).toLowerCase();
  return [...lower].length === 1 ? lower : letter;
}
