import { InvalidInput } from "../../lib/errors.ts";
import { clip } from "../../lib/show-value.ts";
import { dataNames } from "./index.ts";

/**
 * The target of an address below `/rpm/`. A group has any number of parts; the index of one group has no package of
 * another.
 */
export type RpmPath =
  | { readonly what: "key" }
  | { readonly what: "repo" | "upload"; readonly group: string }
  | {
      readonly what: "package";
      readonly group: string;
      readonly name: string;
      readonly version: string;
      readonly arch: string;
    }
  | {
      readonly what: "errata";
      readonly group: string;
      readonly name: string;
      readonly version: string;
      /** The id of one advisory; null: all. */
      readonly id: string | null;
    }
  /** A file of the index: of the generation that is served, or the one that has this SHA-256. */
  | { readonly what: "index"; readonly group: string; readonly file: string; readonly sha256: string | null };

const groupPart = /^[A-Za-z0-9_][A-Za-z0-9._+~-]*$/;
const longestGroup = 255;
const hashed = new RegExp(`^([0-9a-f]{64})-((?:${dataNames.join("|")})\\.xml\\.gz)$`);
const fixed = new Set(["repomd.xml", "repomd.xml.asc", "repomd.xml.key", ...dataNames.map((name) => `${name}.xml.gz`)]);

/** Returns what a decoded path below `/rpm/` is about; null for nothing. Throws InvalidInput for a group that is none. */
export function parseRpmPath(path: string): RpmPath | null {
  const parts = path.split("/");
  const last = parts.at(-1) ?? "";
  if (path === "repository.key") {
    return { what: "key" };
  }
  if (last === "upload") {
    return { what: "upload", group: groupOf(parts.slice(0, -1)) };
  }
  if (parts.at(-2) === "repodata") {
    return indexPath(groupOf(parts.slice(0, -2)), last);
  }
  if (last.endsWith(".repo")) {
    return { what: "repo", group: groupOf([...parts.slice(0, -1), last.slice(0, -".repo".length)]) };
  }
  // The longer form first: a package may have the name "package".
  return packagePath(parts, 5) ?? packagePath(parts, 4);
}

function indexPath(group: string, file: string): RpmPath | null {
  const [, sha256 = null, name = file] = hashed.exec(file) ?? [];
  return fixed.has(name) ? { what: "index", group, file: name, sha256 } : null;
}

/** `count`: how many parts the address has from `package` on. */
function packagePath(parts: readonly string[], count: number): RpmPath | null {
  const at = parts.length - count;
  const [word, name = "", version = "", third = "", fourth = null] = parts.slice(Math.max(at, 0));
  if (at < 0 || word !== "package") {
    return null;
  }
  const named = { group: groupOf(parts.slice(0, at)), name, version };
  if (third === "errata") {
    return { what: "errata", ...named, id: fourth };
  }
  const isOfFile = fourth === null || fourth.toLowerCase() === `${name}-${version}.${third}.rpm`.toLowerCase();
  return isOfFile ? { what: "package", ...named, arch: third } : null;
}

function groupOf(parts: readonly string[]): string {
  const group = parts.join("/");
  if (group.length > longestGroup || !parts.every((part) => groupPart.test(part))) {
    throw new InvalidInput(
      `"${clip(group, 80)}" is no group: its parts begin with a letter, a digit or _, and have the characters A-Z a-z 0-9 . _ + ~ - besides`,
    );
  }
  return group;
}
