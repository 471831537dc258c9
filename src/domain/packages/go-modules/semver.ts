/*
 * Versions of Go modules: semantic versions 2.0.0 with a leading "v", of which "v1" and "v1.2" are short forms.
 * Source: golang.org/x/mod/semver, golang.org/x/mod/module.
 */

/** A version taken apart. */
interface Parsed {
  readonly major: string;
  readonly minor: string;
  readonly patch: string;
  /** The parts that a short form omits. */
  readonly short: string;
  /** With its leading "-"; empty for a release. */
  readonly prerelease: string;
  /** With its leading "+"; empty for none. */
  readonly build: string;
}

const number = "(0|[1-9][0-9]*)";
const identifiers = "[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*";
const long = new RegExp(`^v${number}\\.${number}\\.${number}(-${identifiers})?(\\+${identifiers})?$`);
const short = new RegExp(`^v${number}(?:\\.${number})?$`);
const badNumber = /(?:^-|\.)0[0-9]+(?:\.|$)/;
const pseudo =
  /^v[0-9]+\.(?:0\.0-|[0-9]+\.[0-9]+-(?:[^+]*\.)?0\.)[0-9]{14}-[A-Za-z0-9]+(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;
/** Longer ones are no versions: paths in caches of modules have no room for them. */
const longest = 200;

function parse(version: string): Parsed | null {
  if (version.length > longest) {
    return null;
  }
  const found = long.exec(version);
  if (found !== null) {
    const [, major = "", minor = "", patch = "", prerelease = "", build = ""] = found;
    return badNumber.test(prerelease) ? null : { major, minor, patch, short: "", prerelease, build };
  }
  const cut = short.exec(version);
  if (cut === null) {
    return null;
  }
  const [, major = "", minor] = cut;
  return {
    major,
    minor: minor ?? "0",
    patch: "0",
    short: minor === undefined ? ".0.0" : ".0",
    prerelease: "",
    build: "",
  };
}

/** Returns whether a text is a semantic version, in its short form, too. */
export function isVersion(version: string): boolean {
  return parse(version) !== null;
}

/** Returns the version with three numbers and without its build, but for "+incompatible"; null for no version. */
export function canonicalVersion(version: string): string | null {
  const parsed = parse(version);
  if (parsed === null) {
    return null;
  }
  const { build } = parsed;
  const bare = version.slice(0, version.length - build.length);
  return `${bare}${parsed.short}${build === "+incompatible" ? build : ""}`;
}

/** Returns the major version, such as "v2"; an empty text for no version. */
export function majorOf(version: string): string {
  const parsed = parse(version);
  return parsed === null ? "" : `v${parsed.major}`;
}

/** Returns whether the version says that its module, of version 2 or later, does not name its major version in its path. */
export function isIncompatible(version: string): boolean {
  return parse(version)?.build === "+incompatible";
}

/** Returns whether a version stands for a commit without a tag, such as v0.0.0-20260102030405-0123456789ab. */
export function isPseudoVersion(version: string): boolean {
  return version.split("-").length > 2 && isVersion(version) && pseudo.test(version);
}

/** Returns whether a version is neither a pre-release nor a pseudo-version. */
export function isRelease(version: string): boolean {
  return parse(version)?.prerelease === "";
}

function compareNumbers(left: string, right: string): number {
  return left.length === right.length ? compareTexts(left, right) : left.length - right.length;
}

function compareTexts(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function comparePrereleases(left: string, right: string): number {
  if (left === "" || right === "") {
    // A release comes after its pre-releases.
    return (left === "" ? 1 : 0) - (right === "" ? 1 : 0);
  }
  const [mine, theirs] = [left.slice(1).split("."), right.slice(1).split(".")];
  for (let at = 0; at < Math.min(mine.length, theirs.length); at++) {
    const [one = "", other = ""] = [mine[at], theirs[at]];
    const isNumber = [/^[0-9]+$/.test(one), /^[0-9]+$/.test(other)];
    const order =
      isNumber[0] !== isNumber[1]
        ? isNumber[0]
          ? -1
          : 1
        : isNumber[0]
          ? compareNumbers(one, other)
          : compareTexts(one, other);
    if (order !== 0) {
      return order;
    }
  }
  return mine.length - theirs.length;
}

/** Orders versions by precedence, oldest first; what is no version comes before all of them. Builds do not count. */
export function compareVersions(left: string, right: string): number {
  const [one, other] = [parse(left), parse(right)];
  if (one === null || other === null) {
    return (one === null ? 0 : 1) - (other === null ? 0 : 1);
  }
  return (
    compareNumbers(one.major, other.major) ||
    compareNumbers(one.minor, other.minor) ||
    compareNumbers(one.patch, other.patch) ||
    comparePrereleases(one.prerelease, other.prerelease)
  );
}

/** Returns the highest release, or the highest pre-release where there is no release; null for no versions. */
export function latestVersion(versions: readonly string[]): string | null {
  const releases = versions.filter((version) => isRelease(version));
  const candidates = releases.length > 0 ? releases : versions;
  return candidates.toSorted(compareVersions).at(-1) ?? null;
}
