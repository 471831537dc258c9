import type { PackageAbout } from "../../db/schema/packages.ts";
import { aboutPackage } from "../../domain/packages/about.ts";
import { fieldOf, writeParagraph } from "./control.ts";
import type { DebianPackage } from "./parse.ts";

/** Fields of a stanza about the file itself. They are never taken from the control file. */
const ownFields = new Set(["filename", "size", "md5sum", "sha1", "sha256", "sha512"]);

/** A file as an index names it. */
export interface ListedFile {
  /** From the root that the index has its paths from. */
  readonly path: string;
  readonly bytes: number;
  /** In lower-case hexadecimal. */
  readonly md5: string;
  readonly sha1: string;
  readonly sha256: string;
  readonly sha512: string;
}

/** A package as its index names it, with the line feed at its end. Source: deb-control(5) and the fields that dpkg-scanpackages adds. */
export function writeStanza({ fields }: DebianPackage, file: ListedFile): string {
  return `${writeParagraph([
    ...fields.filter(({ name }) => !ownFields.has(name.toLowerCase())),
    { name: "Filename", value: file.path },
    { name: "Size", value: String(file.bytes) },
    { name: "MD5sum", value: file.md5 },
    { name: "SHA1", value: file.sha1 },
    { name: "SHA256", value: file.sha256 },
    { name: "SHA512", value: file.sha512 },
  ])}\n`;
}

const relationFields = ["Depends", "Pre-Depends", "Recommends", "Suggests", "Conflicts", "Breaks", "Provides"];

/** What a package says of itself. The first line of its description is the summary. Source: deb-control(5). */
export function aboutDeb({ fields }: DebianPackage): PackageAbout {
  const [summary, ...lines] = (fieldOf(fields, "Description") ?? "").split("\n");
  return aboutPackage({
    summary,
    description: lines.map((line) => line.replace(/^ \.?/, "")).join("\n"),
    website: fieldOf(fields, "Homepage") ?? "",
    maintainer: fieldOf(fields, "Maintainer") ?? "",
    relations: relationFields.map((kind) => ({ kind, names: fieldOf(fields, kind)?.split(",") })),
  });
}

/** The fields of a distribution's Release. */
export interface Release {
  /** Whose the distribution is. */
  readonly origin: string;
  readonly distribution: string;
  readonly components: readonly string[];
  readonly architectures: readonly string[];
  readonly date: Date;
  readonly files: readonly ListedFile[];
}

/** The text of a Release. No line ends with a blank: a clear-signed text loses those. Source: the repository format of Debian's wiki. */
export function writeRelease(release: Release): string {
  const { origin, distribution, components, architectures, date, files } = release;
  const block = (name: string, hash: "md5" | "sha1" | "sha256" | "sha512") => [
    `${name}:`,
    ...files.map((file) => ` ${file[hash]} ${file.bytes} ${file.path}`),
  ];
  return `${[
    `Origin: ${origin}`,
    `Label: ${origin}`,
    `Suite: ${distribution}`,
    `Codename: ${distribution}`,
    // "Sat, 21 Nov 2026 07:48:13 UTC", as dpkg and apt write it.
    `Date: ${date.toUTCString().replace("GMT", "UTC")}`,
    `Architectures: ${architectures.join(" ")}`,
    `Components: ${components.join(" ")}`,
    "Acquire-By-Hash: yes",
    ...block("MD5Sum", "md5"),
    ...block("SHA1", "sha1"),
    ...block("SHA256", "sha256"),
    ...block("SHA512", "sha512"),
  ].join("\n")}\n`;
}
