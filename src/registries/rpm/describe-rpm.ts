import type { PackageAbout } from "../../db/schema/packages.ts";
import { aboutPackage } from "../../domain/packages/about.ts";
import { openPgpSigner } from "../shared/openpgp.ts";
import { dependencyKinds, fileNameOf, versionOf, type RpmDependency, type RpmPackage } from "./package.ts";
import { readRpm } from "./read-rpm.ts";
import { signRpm } from "./sign-rpm.ts";
import { filelistsStanza, otherStanza, primaryStanza, type RpmFileFacts } from "./stanzas.ts";

/** The metadata that the registry keeps of a package. */
export interface DescribedRpm extends Pick<RpmPackage, "name" | "epoch" | "release" | "arch" | "sourceRpm"> {
  /** Without epoch and release. */
  readonly version: string;
  /** With epoch and release, as addresses have it. */
  readonly fullVersion: string;
  readonly fileName: string;
  readonly about: PackageAbout;
  /** Its stanzas, by the part of the index. */
  readonly stanzas: readonly (readonly [part: string, content: string])[];
}

/** Reads a package, whose headers have at most `limit` bytes. Throws BadRpm. */
export async function describeRpm(file: Blob, limit: number, facts: RpmFileFacts): Promise<DescribedRpm> {
  const { package: rpm } = await readRpm(file, limit);
  const { name, epoch, version, release, arch, sourceRpm } = rpm;
  return {
    name,
    epoch,
    version,
    release,
    arch,
    sourceRpm,
    fullVersion: versionOf(rpm),
    fileName: fileNameOf(rpm),
    about: aboutRpm(rpm),
    stanzas: [
      ["primary", primaryStanza(rpm, facts)],
      ["filelists", filelistsStanza(rpm, facts)],
      ["other", otherStanza(rpm, facts)],
    ],
  };
}

const signs = { LT: "<", GT: ">", EQ: "=", LE: "<=", GE: ">=" } as const;

/** A dependency as a spec file has it, such as "words >= 1.0". */
function written({ name, flags, epoch, version, release }: RpmDependency): string {
  const of = `${epoch === "" || epoch === "0" ? "" : `${epoch}:`}${version}${release === "" ? "" : `-${release}`}`;
  return flags === "" ? name : `${name} ${signs[flags]} ${of}`;
}

/** What rpm itself must be able to do tells a person nothing. */
const isForPeople = ({ name }: RpmDependency) => !name.startsWith("rpmlib(");

function aboutRpm({
  summary,
  description,
  url: website,
  license,
  packager: maintainer,
  dependencies,
}: RpmPackage): PackageAbout {
  const relations = dependencyKinds.map((kind) => ({
    kind,
    names: dependencies[kind].filter(isForPeople).map(written),
  }));
  return aboutPackage({ summary, description, website, license, maintainer, relations });
}

/**
 * Returns the beginning of the signed package's file, and where its payload begins in the received file. Throws BadRpm.
 */
export async function signRpmHead(
  file: Blob,
  limit: number,
  secretKey: string,
): Promise<{ head: Uint8Array; payloadStart: number }> {
  const read = await readRpm(file, limit);
  const { signBinary } = await openPgpSigner(secretKey);
  const { head } = await signRpm(read, signBinary);
  return { head, payloadStart: read.payloadStart };
}
