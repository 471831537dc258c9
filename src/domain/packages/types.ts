import type { PackageType } from "../../db/schema/packages.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { clip } from "../../lib/show-value.ts";

/** Every format that servers of the family have: who lists packages may ask for any of them. */
export const knownPackageTypes = [
  "alpine",
  "cargo",
  "chef",
  "composer",
  "conan",
  "conda",
  "container",
  "cran",
  "debian",
  "generic",
  "go",
  "helm",
  "maven",
  "npm",
  "nuget",
  "pub",
  "pypi",
  "rpm",
  "rubygems",
  "swift",
  "vagrant",
] as const;

/** The longest name of a package, a version or a file, characters. */
export const longestPackageName = 255;

/** Which package of which format, and which version of it. */
export interface PackageName {
  readonly type: PackageType;
  readonly name: string;
  readonly version: string;
}

/** Throws InvalidInput for a name that no format has. */
export function checkPackageText(what: string, text: string): void {
  if (text.trim() === "" || text.length > longestPackageName || /[\p{Cc}/\\]/u.test(text) || /^\.+$/.test(text)) {
    throw new InvalidInput(
      `"${clip(text, 80)}" is no ${what}: it has 1 to ${longestPackageName} characters, no slashes and no control characters, and is not only dots`,
    );
  }
}
