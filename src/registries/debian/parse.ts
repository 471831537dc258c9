import { clip } from "../../lib/show-value.ts";
import { BadPackage } from "../shared/bad-package.ts";
import type { ArchiveLimits } from "../shared/inflate.ts";
import { readAr } from "./ar.ts";
import { fieldOf, parseControl, type ControlField } from "./control.ts";
import { readControl, type Compression } from "./read-control.ts";

/** The fields of a .deb. */
export interface DebianPackage {
  readonly name: string;
  /** With its epoch, if it has one. */
  readonly version: string;
  readonly architecture: string;
  /** All of its control file. */
  readonly fields: readonly ControlField[];
}

const compressions: Record<string, Compression> = { "": "none", ".gz": "gzip", ".xz": "xz", ".zst": "zstd" };
const dataMember = /^data\.tar(\.(gz|xz|zst|bz2|lzma))?$/;
const formatVersion = /^2\.\d{1,3}\n/;

const packageName = /^[a-z0-9][a-z0-9+.-]{1,127}$/;
const packageVersion = /^(\d{1,9}:)?[A-Za-z0-9][A-Za-z0-9.+~-]{0,127}$/;
const architectureName = /^[a-z0-9][a-z0-9-]{0,63}$/;

/**
 * Reads a .deb: its members' headers, and its control archive until the control file is found. Throws BadPackage for what is none. Source:
 * deb(5) for the members, deb-control(5) for the fields.
 */
export async function parseDeb(content: Blob, limits: ArchiveLimits): Promise<DebianPackage> {
  // Members whose names begin with an underscore are for others.
  const members = (await readAr(content)).filter(({ name }) => !name.startsWith("_"));
  const [format, control, data] = members;
  if (format?.name !== "debian-binary" || !formatVersion.test(await format.content.slice(0, 16).text())) {
    throw new BadPackage("The archive is no Debian package of the format 2: it does not begin with debian-binary");
  }
  if (control === undefined || !control.name.startsWith("control.tar")) {
    throw new BadPackage("The package has no control archive after debian-binary");
  }
  if (data === undefined || !dataMember.test(data.name)) {
    throw new BadPackage("The package has no data archive after its control archive");
  }
  const compression = compressions[control.name.slice("control.tar".length)];
  if (compression === undefined) {
    throw new BadPackage(
      `"${clip(control.name, 80)}" is compressed by no way that is read here: none, gzip, xz or zstd`,
    );
  }
  const found = await readControl(control.content, compression, limits);
  if (found === null) {
    throw new BadPackage("The control archive has no file control");
  }
  return describe(parseControl(textOf(found)));
}

function textOf(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (!text.includes("\0")) {
      return text;
    }
  } catch {
    // Said below.
  }
  throw new BadPackage("The control file is no text in UTF-8");
}

function describe(fields: readonly ControlField[]): DebianPackage {
  const get = (name: string, rule: RegExp): string => {
    const value = fieldOf(fields, name);
    if (value === null) {
      throw new BadPackage(`The control file has no ${name}`);
    }
    if (!rule.test(value)) {
      throw new BadPackage(`"${clip(value, 80)}" is no ${name} of a Debian package`);
    }
    return value;
  };
  return {
    name: get("Package", packageName),
    version: get("Version", packageVersion),
    architecture: get("Architecture", architectureName),
    fields,
  };
}

/** The file of a package, as the pool names it. */
export interface PoolName {
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
}

/** The pool's file of a package. */
export function poolFile({ name, version, architecture }: PoolName): string {
  return `${name}_${version}_${architecture}.deb`;
}

/** The package of a file in the pool; null for a name that no such file has. */
export function parsePoolFile(file: string): PoolName | null {
  const [, name, version, architecture] = /^([^_]+)_([^_]+)_([^_]+)\.deb$/.exec(file) ?? [];
  return name === undefined || version === undefined || architecture === undefined
    ? null
    : { name, version, architecture };
}
