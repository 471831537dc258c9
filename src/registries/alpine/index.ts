import type { PackageAbout } from "../../db/schema/packages.ts";
import { aboutPackage } from "../../domain/packages/about.ts";
import type { ArchiveLimits } from "../shared/inflate.ts";
import { parseApk, type AlpinePackage } from "./parse.ts";

/** The metadata that the registry keeps of a package. */
export interface DescribedApk extends Pick<AlpinePackage, "name" | "version" | "architecture"> {
  /** As writeRecord writes it. */
  readonly record: string;
  readonly about: PackageAbout;
}

/** Reads a package. Throws BadPackage. */
export async function describeApk(file: Blob, limits: ArchiveLimits): Promise<DescribedApk> {
  const described = await parseApk(file, limits);
  const { name, version, architecture } = described;
  return { name, version, architecture, record: writeRecord(described, file.size), about: aboutApk(described) };
}

function aboutApk({ fields }: AlpinePackage): PackageAbout {
  const first = (key: string) => fields.get(key)?.[0];
  return aboutPackage({
    summary: first("pkgdesc"),
    website: first("url"),
    license: first("license"),
    maintainer: first("maintainer"),
    relations: ["depend", "provides", "install_if"].map((kind) => ({ kind, names: fields.get(kind) })),
  });
}

/** The architecture of packages that are in the index of every other one. */
export const anyArchitecture = "noarch";

/**
 * A package as an index has it, with the blank line at its end. Each line is a letter, a colon and a value. Source: the Alpine
 * wiki, "Apk spec", section "Index format".
 */
export function writeRecord(described: AlpinePackage, fileBytes: number): string {
  const { name, version, architecture, fields, controlSha1 } = described;
  const first = (key: string) => fields.get(key)?.[0];
  const all = (key: string) => fields.get(key)?.join(" ");
  const lines: readonly (readonly [string, string | undefined])[] = [
    ["C", `Q1${controlSha1.toString("base64")}`],
    ["P", name],
    ["V", version],
    ["A", architecture],
    ["S", String(fileBytes)],
    ["I", numberOf(first("size")) ?? "0"],
    ["T", first("pkgdesc") ?? ""],
    ["U", first("url")],
    ["L", first("license")],
    ["o", first("origin") ?? ""],
    ["m", first("maintainer") ?? ""],
    ["t", numberOf(first("builddate")) ?? "0"],
    ["c", first("commit")],
    ["D", all("depend")],
    ["p", all("provides")],
    ["i", all("install_if")],
    ["k", numberOf(first("provider_priority"))],
  ];
  return `${lines.flatMap(([letter, value]) => (value === undefined ? [] : [`${letter}:${value}\n`])).join("")}\n`;
}

function numberOf(value: string | undefined): string | undefined {
  return value !== undefined && /^[0-9]{1,18}$/.test(value) ? value : undefined;
}

/** The record of a package for all architectures, as the index of one has it: apk asks for the file below that. */
export function recordFor(record: string, architecture: string): string {
  return record.replace(/^A:noarch$/m, `A:${architecture}`);
}

const blockBytes = 512;

/** The header of a file in a tar archive. Source: POSIX.1-2017, pax, "ustar Interchange Format". */
export function tarHeader(name: string, bytes: number): Buffer {
  const block = Buffer.alloc(blockBytes);
  block.write(name, 0, 100, "utf8");
  block.write("0000644\x000000000\x000000000\0", 100, "latin1");
  block.write(`${bytes.toString(8).padStart(11, "0")}\0`, 124, "latin1");
  block.write("00000000000\0", 136, "latin1");
  // The checksum counts its own field as blanks.
  block.write("        0", 148, "latin1");
  block.write("ustar\x0000", 257, "latin1");
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return block;
}

/** Returns the bytes that fill the content of a file up to a whole block. */
export function tarPadding(bytes: number): Buffer {
  return Buffer.alloc((blockBytes - (bytes % blockBytes)) % blockBytes);
}

/** The end of a tar archive. */
export const tarEnd = Buffer.alloc(2 * blockBytes);
