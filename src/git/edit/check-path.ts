import { isDotGit } from "../objects/protected-names.ts";
import { InvalidEdit } from "./errors.ts";

const maxPathBytes = 4096;

/**
 * The names of a path that a commit may hold. Throws InvalidEdit for one that git would refuse to check out: absolute,
 * leading out of the tree, with an empty name, or into what is a repository's own directory on some filesystem.
 */
export function checkPath(path: string): string[] {
  if (path === "" || path.startsWith("/")) {
    throw new InvalidEdit(path, `Cannot use "${path}" as the path of a file: it must be relative and not empty`);
  }
  if (Buffer.byteLength(path) > maxPathBytes) {
    throw new InvalidEdit(
      path,
      `Cannot use "${path.slice(0, 80)}…" as the path of a file: it is longer than ${maxPathBytes} bytes`,
    );
  }
  if (!path.isWellFormed() || path.includes("\0")) {
    throw new InvalidEdit(
      path,
      `Cannot use ${JSON.stringify(path)} as the path of a file: it has a character that no path may have`,
    );
  }
  const names = path.split("/");
  for (const name of names) {
    if (name === "" || name === "." || name === ".." || isDotGit(name)) {
      throw new InvalidEdit(path, `Cannot use "${path}" as the path of a file: "${name}" is not allowed in it`);
    }
  }
  return names;
}
