/** The registry's data of a package: the fields of its header, and where the header is in the file. */
export interface RpmPackage {
  readonly name: string;
  readonly epoch: number;
  readonly version: string;
  readonly release: string;
  /** "src" for a source package, whatever it is built for. */
  readonly arch: string;
  readonly summary: string;
  readonly description: string;
  readonly url: string;
  readonly license: string;
  readonly vendor: string;
  readonly packager: string;
  readonly group: string;
  readonly buildHost: string;
  readonly sourceRpm: string;
  /** Seconds since 1970. */
  readonly buildTime: number;
  /** Bytes of the files when they are installed. */
  readonly installedBytes: number;
  /** Bytes of the payload before it was compressed. */
  readonly archiveBytes: number;
  /** Where the main header begins and ends, in bytes. */
  readonly headerStart: number;
  readonly headerEnd: number;
  readonly dependencies: Readonly<Record<DependencyKind, readonly RpmDependency[]>>;
  readonly files: readonly RpmFile[];
  /** The newest ten entries, the oldest of them first. */
  readonly changelog: readonly RpmChange[];
}

/** In the order of primary.xml. */
export const dependencyKinds = [
  "provides",
  "requires",
  "conflicts",
  "obsoletes",
  "suggests",
  "enhances",
  "recommends",
  "supplements",
] as const;
export type DependencyKind = (typeof dependencyKinds)[number];

export interface RpmDependency {
  readonly name: string;
  /** Empty without a version. */
  readonly flags: "" | "LT" | "GT" | "EQ" | "LE" | "GE";
  readonly epoch: string;
  readonly version: string;
  readonly release: string;
  /** It must be there before the package is installed. */
  readonly isBefore: boolean;
}

export interface RpmFile {
  readonly path: string;
  readonly type: "" | "dir" | "ghost";
}

export interface RpmChange {
  readonly author: string;
  /** Seconds since 1970. */
  readonly time: number;
  readonly text: string;
}

/** The version as addresses and file names have it: with an epoch only if that is not 0. */
export function versionOf({ epoch, version, release }: Pick<RpmPackage, "epoch" | "version" | "release">): string {
  return `${epoch === 0 ? "" : `${epoch}-`}${version}-${release}`;
}

export function fileNameOf(rpm: Pick<RpmPackage, "name" | "epoch" | "version" | "release" | "arch">): string {
  return `${rpm.name}-${versionOf(rpm)}.${rpm.arch}.rpm`;
}
