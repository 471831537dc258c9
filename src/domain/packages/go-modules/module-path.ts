import { InvalidInput } from "../../../lib/errors.ts";
import { clip } from "../../../lib/show-value.ts";
import { canonicalVersion, isIncompatible, majorOf } from "./semver.ts";

/*
 * Paths of Go modules and of the files in them. Source: golang.org/x/mod/module; the names and rules are those of CheckPath,
 * CheckFilePath, CheckPathMajor, SplitPathVersion and UnescapePath.
 */

const firstElement = /^[a-z0-9.][a-z0-9.-]*$/;
const moduleElement = /^[A-Za-z0-9._~-]+$/;
const fileElement = /^[A-Za-z0-9!#$%&()+,\-.=@[\]^_{}~ \p{L}]+$/u;
const windowsName = /^(?:CON|PRN|AUX|NUL|COM[1-9]|LPT[1-9])$/i;
const shortName = /~[0-9]+$/;
const longestPath = 255;

/** A path of a module without its major version, such as "/v2" ("" for versions 0 and 1; ".v2" at gopkg.in). */
export interface SplitPath {
  readonly prefix: string;
  readonly major: string;
}

function elementFault(element: string, kind: "module" | "file"): string | null {
  if (element === "") {
    return "has an empty part";
  }
  if (/^\.+$/.test(element) || element.endsWith(".")) {
    return `has a part that ends in a dot: "${clip(element, 80)}"`;
  }
  if (kind === "module" && element.startsWith(".")) {
    return `has a part that begins with a dot: "${clip(element, 80)}"`;
  }
  const isPlain = kind === "module" ? moduleElement.test(element) : fileElement.test(element);
  if (!isPlain) {
    return `has a character that is not allowed in "${clip(element, 80)}"`;
  }
  const stem = element.split(".", 1)[0] ?? "";
  if (windowsName.test(stem)) {
    return `has a part that Windows reserves: "${clip(element, 80)}"`;
  }
  return kind === "module" && shortName.test(stem)
    ? `has a part that ends in ~ and digits: "${clip(element, 80)}"`
    : null;
}

function fault(path: string, kind: "module" | "file"): string | null {
  if (kind === "module" && path.startsWith("-")) {
    return "begins with a dash";
  }
  for (const element of path.split("/")) {
    const found = elementFault(element, kind);
    if (found !== null) {
      return found;
    }
  }
  return null;
}

/** Returns what is wrong with the path of a file in a module, without the module's own path; null for nothing. */
export function filePathFault(path: string): string | null {
  return fault(path, "file");
}

/** Returns what is wrong with the path of a module; null for nothing. */
export function modulePathFault(path: string): string | null {
  if (path.length > longestPath) {
    return `has more than ${longestPath} characters`;
  }
  const first = path.split("/", 1)[0] ?? "";
  if (!first.includes(".") || !firstElement.test(first)) {
    return "does not begin with the name of a host in lower case";
  }
  return fault(path, "module") ?? (splitPathVersion(path) === null ? "ends in a major version that is none" : null);
}

/** Splits the major version off a module's path; null where it is written in a way that is none, such as /v1 or /v02. */
export function splitPathVersion(path: string): SplitPath | null {
  if (path.startsWith("gopkg.in/")) {
    const found = /^(.*)(\.v(?:0|[1-9][0-9]*)(?:-unstable)?)$/.exec(path);
    return found === null ? null : { prefix: found[1] ?? "", major: found[2] ?? "" };
  }
  const found = /^(.+)(\/v[0-9.]+)$/.exec(path);
  if (found === null) {
    return { prefix: path, major: "" };
  }
  const [, prefix = "", major = ""] = found;
  return /^\/v[1-9][0-9]*$/.test(major) && major !== "/v1" ? { prefix, major } : null;
}

/** Returns whether a version belongs to the major version of a module's path. */
export function matchesMajor(version: string, major: string): boolean {
  const wanted = major.replace(/-unstable$/, "");
  if (version.startsWith("v0.0.0-") && wanted === ".v1") {
    // A mistake of early pseudo-versions for gopkg.in, which the go command still takes.
    return true;
  }
  const own = majorOf(version);
  return wanted === "" ? own === "v0" || own === "v1" || isIncompatible(version) : own === wanted.slice(1);
}

/** Checks a module's path and its version. Throws InvalidInput. */
export function checkModule(path: string, version: string): void {
  const wrong = modulePathFault(path);
  if (wrong !== null) {
    throw new InvalidInput(`The module path "${clip(path, 80)}" ${wrong}`);
  }
  if (canonicalVersion(version) !== version) {
    throw new InvalidInput(
      `"${clip(version, 80)}" is no version of a module: it must be vX.Y.Z, with -PRERELEASE or +incompatible where it applies`,
    );
  }
  if (!matchesMajor(version, splitPathVersion(path)?.major ?? "")) {
    throw new InvalidInput(
      `The version "${clip(version, 80)}" does not belong to the module path "${clip(path, 80)}": from version 2 on the path ends in the major version`,
    );
  }
}

/**
 * Returns a path or version as it is out of its form in an address, where an upper-case letter is an exclamation mark with the
 * letter in lower case; null for what is no such form. An upper-case letter that stands for itself is taken, too.
 */
export function unescapeModule(escaped: string): string | null {
  return /!(?![a-z])/.test(escaped) ? null : escaped.replace(/!([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
