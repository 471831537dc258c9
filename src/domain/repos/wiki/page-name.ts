import { isDotGit } from "../../../git/objects/protected-names.ts";
import { InvalidWikiPage } from "./errors.ts";

/**
 * How the family's servers name the pages of a wiki, so that a wiki can move between them:
 *
 * - the *title* is what people read: `Home Page`, `100% Free`, `2000-01-02 meeting`;
 * - the *path* stands in addresses: `Home-Page`, `100%25-Free`, `2000-01-02+meeting.-`. Spaces are dashes there, unless the
 *   title has a dash or ends with `.md`: then spaces are plus signs and a mark stands behind it. The rest is
 *   percent-encoded;
 * - the *file* in git is the path with its plus signs as spaces, and `.md`: `2000-01-02 meeting.-.md`.
 *
 * A path that ends with `.md` names a file as it is, whatever a page's file should be called.
 */
export interface PageName {
  title: string;
  path: string;
  file: string;
}

const ending = ".md";
/** Behind a title whose dashes are dashes. */
const mark = ".-";
/** Parts of the addresses of wikis in the family. */
const reserved: ReadonlySet<string> = new Set(["_pages", "_new", "_edit", "raw"]);
/** Bytes of a file's name that file systems take: a longer one could not be checked out. */
const longestFile = 255;

/** Encodes all characters except letters, digits and `-_.~`, which is stricter than encodeURIComponent. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(
    /[!*'()]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Text that is not encoded as it should be stands for itself. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function titleOf(path: string): string {
  return decode((path.endsWith(mark) ? path.slice(0, -mark.length) : path.replaceAll("-", " ")).replaceAll("+", " "));
}

function pathOf(title: string, marked: boolean): string {
  const text = marked || title.includes("-") || title.endsWith(ending) ? title + mark : title.replaceAll(" ", "-");
  return encode(text).replaceAll("%20", "+");
}

/** Returns the name of the page at a path, in the one way in which it is written here. */
export function pageAtPath(path: string): PageName {
  const plain = path.replaceAll("/", "%2F");
  const title = titleOf(plain);
  const canonical = pathOf(title, plain.endsWith(mark));
  return { title, path: canonical, file: canonical.replaceAll("+", " ") + ending };
}

/** The name of a page that is there. */
interface FoundName extends PageName {
  /** The file is called as the title asks for. */
  isCanonical: boolean;
}

/** Returns the name of the page that a file in the root directory is; null for what is no page. */
export function pageOfFile(file: string): FoundName | null {
  if (!file.endsWith(ending)) {
    return null;
  }
  const asked = pageAtPath(file.slice(0, -ending.length));
  return { ...asked, file, isCanonical: asked.path !== "" && asked.file === file };
}

/** Returns the path that names a file as it is. */
export function literalPath(file: string): string {
  return encode(file);
}

/** Returns the name of the file that a path names as it is; null for a path that does not. */
export function literalFile(path: string): string | null {
  return path.endsWith(ending) ? decode(path) : null;
}

/** Returns the name of a new page. Throws InvalidWikiPage for a title that no page may have. */
export function nameOfTitle(given: string): PageName {
  const title = given.trim();
  if (title === "") {
    throw new InvalidWikiPage("title is required: it is the name of the page");
  }
  // oxlint-disable-next-line no-control-regex -- these are what it looks for
  if (/[\x00-\x1f\x7f-\x9f]/.test(title) || !title.isWellFormed()) {
    throw new InvalidWikiPage("title must have no control characters and no half of a surrogate pair");
  }
  const wrong = title.split(/[/\\]/).find((part) => part === "" || part === "." || part === ".." || isDotGit(part));
  if (wrong !== undefined) {
    throw new InvalidWikiPage(
      `title must not be "${title.slice(0, 80)}": ${wrong === "" ? "an empty name" : `"${wrong}"`} cannot be a part of it`,
    );
  }
  if (reserved.has(title)) {
    throw new InvalidWikiPage(`title must not be "${title}", which is a part of the addresses of wikis`);
  }
  const path = pathOf(title, false);
  const file = path.replaceAll("+", " ") + ending;
  if (file.length > longestFile) {
    throw new InvalidWikiPage(
      `title "${title.slice(0, 80)}…" is too long: its file would have a name of ${file.length} bytes, and ${longestFile} are the most`,
    );
  }
  return { title, path, file };
}
