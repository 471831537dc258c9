import type { OwnerRow } from "../../auth/subject.ts";
import { InvalidInput } from "../../lib/errors.ts";
import { findGitignore } from "./gitignores.ts";
import { findLicense } from "../git/licenses/licenses.ts";

/** The templates that the first commit is made of; absent or empty ones are left out, but there is always a README. */
export interface FirstFilesOptions {
  /** "Default" is the only one. */
  readme?: string;
  /** Names of .gitignore templates, separated by commas. */
  gitignores?: string;
  /** Key of a license. */
  license?: string;
}

/** A file of the first commit. */
export interface FirstFile {
  path: string;
  text: string;
}

/** The files of the first commit. Throws InvalidInput naming the field of a template that does not exist. */
export function planFirstFiles(
  owner: OwnerRow,
  repository: { name: string; description?: string },
  options: FirstFilesOptions,
): FirstFile[] {
  const files: FirstFile[] = [{ path: "README.md", text: readmeText(repository, options.readme) }];
  const names = (options.gitignores ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  if (names.length > 0) {
    files.push({ path: ".gitignore", text: names.map((name) => `# ---> ${name}\n${gitignoreText(name)}`).join("\n") });
  }
  if (options.license) {
    files.push({ path: "LICENSE", text: licenseText(options.license, owner, repository) });
  }
  return files;
}

function readmeText({ name, description = "" }: { name: string; description?: string }, template = "Default"): string {
  if (template !== "" && template.toLowerCase() !== "default") {
    throw new InvalidInput(`There is no README template "${template.slice(0, 60)}"`, "readme");
  }
  return description === "" ? `# ${name}\n` : `# ${name}\n\n${description}\n`;
}

function gitignoreText(name: string): string {
  const template = findGitignore(name);
  if (template === null) {
    throw new InvalidInput(`There is no .gitignore template "${name.slice(0, 60)}"`, "gitignores");
  }
  return template.source.endsWith("\n") ? template.source : `${template.source}\n`;
}

function licenseText(key: string, owner: OwnerRow, repository: { name: string; description?: string }): string {
  const license = findLicense(key);
  if (license === null) {
    throw new InvalidInput(`There is no license "${key.slice(0, 60)}"`, "license");
  }
  const blanks: Record<string, string> = {
    year: String(new Date().getUTCFullYear()),
    fullname: owner.fullName || owner.name,
    login: owner.name,
    email: owner.email,
    project: repository.name,
    description: repository.description ?? "",
  };
  return license.body.replace(
    /\[(year|fullname|login|email|project|description)\]/g,
    (blank, name: string) => blanks[name] ?? blank,
  );
}
