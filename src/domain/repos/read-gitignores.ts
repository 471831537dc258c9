import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Glob } from "bun";

/**
 * Reads the collection out of its package, when the importing file is bundled or loaded: names and texts become a part
 * of the code, and a compiled executable needs no package. Of two templates of one name the nearer to the top wins.
 */
export function readGitignores(): Record<string, string> {
  const directory = join(dirname(fileURLToPath(import.meta.resolve("gitignr/package.json"))), "gitignore");
  const paths = [...new Glob("**/*.gitignore").scanSync(directory)].sort(
    (a, b) => a.split("/").length - b.split("/").length || (a < b ? -1 : 1),
  );
  const found: Record<string, string> = {};
  for (const path of paths) {
    found[basename(path, ".gitignore")] ??= readFileSync(join(directory, path), "utf8");
  }
  return found;
}
