import { clip } from "../../lib/show-value.ts";
import { BadPackage } from "../shared/bad-package.ts";
import { parseRecord } from "./dcf.ts";

/**
 * The fields of an R package in its file DESCRIPTION. Source: "Writing R Extensions", 1.1.1 "The DESCRIPTION file".
 * Stored fields have the family's names.
 */
export interface Description {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly description?: string;
  readonly project_url?: readonly string[];
  readonly license?: string;
  /** Without their roles. */
  readonly authors?: readonly string[];
  readonly depends?: readonly string[];
  readonly imports?: readonly string[];
  readonly linking_to?: readonly string[];
  readonly suggests?: readonly string[];
  readonly enhances?: readonly string[];
  readonly needs_compilation: boolean;
  /** "unix" or "windows", for a package that is only for one. */
  readonly os_type?: string;
}

const namePattern = /^[A-Za-z][A-Za-z0-9.]*[A-Za-z0-9]$/;
const versionPattern = /^\d+(?:[.-]\d+){1,3}$/;
const longestName = 120;
/** Longest DESCRIPTION: those of CRAN have a few kilobytes. */
export const descriptionBytes = 512 * 1024;

/** Reads a DESCRIPTION. Throws BadPackage for one that is none or that names no possible package and version. */
export function parseDescription(bytes: Buffer): Description {
  const record = parseRecord(bytes);
  const name = record.get("Package") ?? "";
  const version = record.get("Version") ?? "";
  if (!namePattern.test(name) || name.length > longestName) {
    throw new BadPackage(
      `DESCRIPTION names the package "${clip(name, 80)}"; a name begins with a letter, has letters, digits and dots, ends with no dot and has 2 to ${longestName} characters`,
    );
  }
  if (!versionPattern.test(version) || version.length > longestName) {
    throw new BadPackage(
      `DESCRIPTION names the version "${clip(version, 80)}"; a version has 2 to 4 numbers between dots or hyphens`,
    );
  }
  return {
    name,
    version,
    ...text("title", record.get("Title")),
    ...text("description", record.get("Description")),
    ...list("project_url", (record.get("URL") ?? "").split(/[,\s]+/)),
    ...text("license", record.get("License")),
    ...list("authors", authorsOf(record.get("Author") ?? "")),
    ...list("depends", (record.get("Depends") ?? "").split(",")),
    ...list("imports", (record.get("Imports") ?? "").split(",")),
    ...list("linking_to", (record.get("LinkingTo") ?? "").split(",")),
    ...list("suggests", (record.get("Suggests") ?? "").split(",")),
    ...list("enhances", (record.get("Enhances") ?? "").split(",")),
    needs_compilation: record.get("NeedsCompilation")?.toLowerCase() === "yes",
    ...text("os_type", record.get("OS_type")),
  };
}

function text<Name extends string>(name: Name, value = ""): Partial<Record<Name, string>> {
  return value === "" ? {} : ({ [name]: value } as Record<Name, string>);
}

function list<Name extends string>(name: Name, values: readonly string[]): Partial<Record<Name, readonly string[]>> {
  const found = values.map((value) => value.trim()).filter((value) => value !== "");
  return found.length === 0 ? {} : ({ [name]: found } as unknown as Record<Name, readonly string[]>);
}

/** "Jane Doe [aut, cre], The Works (owner)" are "Jane Doe" and "The Works". */
function authorsOf(authors: string): string[] {
  return authors.replaceAll(/\[[^[\]]*\]|\([^()]*\)/g, "").split(",");
}
