import { checkGitattributes } from "./check-gitattributes.ts";
import { checkGitmodules } from "./check-gitmodules.ts";
import { ObjectType, type GitObject } from "./object-type.ts";
import { isDotGitattributes, isDotGitmodules } from "./protected-names.ts";

/** Files that git itself reads out of what it fetched, so that their content is checked, too. */
export type CheckedFileName = ".gitmodules" | ".gitattributes";

/** That a tree names `oid` as such a file. */
export interface NamedFile {
  readonly name: CheckedFileName;
  readonly oid: string;
}

/** Which of these files some file system may take `name` for, or null. */
export function findCheckedFile(name: string): CheckedFileName | null {
  if (isDotGitmodules(name)) {
    return ".gitmodules";
  }
  return isDotGitattributes(name) ? ".gitattributes" : null;
}

/** The rule of `git fsck` that is named after the file, as in `gitmodulesMissing`. */
export function ruleOf(name: CheckedFileName, what: string): string {
  return `${name.slice(1)}${what}`;
}

/**
 * Checks an object that a tree names as such a file. Returns the fault, which starts with git's name for the rule, or
 * null.
 */
export function checkNamedFile(name: CheckedFileName, { type, bytes }: GitObject): string | null {
  if (type !== ObjectType.blob) {
    return `${ruleOf(name, "Blob")}: is named as ${name} and no file`;
  }
  return name === ".gitmodules" ? checkGitmodules(bytes) : checkGitattributes(bytes);
}
