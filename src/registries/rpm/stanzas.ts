import { isPrimaryFile } from "./parse.ts";
import { dependencyKinds, fileNameOf, versionOf, type RpmDependency, type RpmPackage } from "./package.ts";
import { xmlAttribute, XmlLines } from "./xml.ts";

/** The registry's data of the file besides its content. */
export interface RpmFileFacts {
  /** In lower-case hexadecimal. */
  readonly sha256: string;
  readonly bytes: number;
  /** When it came, seconds since 1970. */
  readonly time: number;
}

/** Where a package is, seen from the root of its group. */
export function locationOf(rpm: RpmPackage): string {
  return `package/${rpm.name}/${versionOf(rpm)}/${rpm.arch}/${fileNameOf(rpm)}`;
}

/**
 * Returns the package's part of primary.xml: `createrepo_c` writes the same bytes, except the location and the time of
 * the file. Throws BadRpm if it is too long.
 */
export function primaryStanza(rpm: RpmPackage, file: RpmFileFacts): string {
  const lines = new XmlLines();
  lines.add('<package type="rpm">');
  lines.element(1, "name", "", rpm.name);
  lines.element(1, "arch", "", rpm.arch);
  addVersion(lines, rpm);
  lines.element(1, "checksum", ' type="sha256" pkgid="YES"', file.sha256);
  lines.element(1, "summary", "", rpm.summary);
  lines.element(1, "description", "", rpm.description);
  lines.element(1, "packager", "", rpm.packager);
  lines.element(1, "url", "", rpm.url);
  lines.element(1, "time", xmlAttribute("file", file.time) + xmlAttribute("build", rpm.buildTime));
  lines.element(
    1,
    "size",
    xmlAttribute("package", file.bytes) +
      xmlAttribute("installed", rpm.installedBytes) +
      xmlAttribute("archive", rpm.archiveBytes),
  );
  lines.element(1, "location", xmlAttribute("href", locationOf(rpm)));
  lines.add("  <format>");
  lines.element(2, "rpm:license", "", rpm.license);
  lines.element(2, "rpm:vendor", "", rpm.vendor);
  lines.element(2, "rpm:group", "", rpm.group);
  lines.element(2, "rpm:buildhost", "", rpm.buildHost);
  lines.element(2, "rpm:sourcerpm", "", rpm.sourceRpm);
  lines.element(2, "rpm:header-range", xmlAttribute("start", rpm.headerStart) + xmlAttribute("end", rpm.headerEnd));
  for (const kind of dependencyKinds) {
    addDependencies(lines, `rpm:${kind}`, rpm.dependencies[kind]);
  }
  addFiles(lines, 2, rpm, isPrimaryFile);
  lines.add("  </format>");
  lines.add("</package>");
  return lines.toString();
}

/** Returns the package's part of filelists.xml. Throws BadRpm if it is too long. */
export function filelistsStanza(rpm: RpmPackage, file: RpmFileFacts): string {
  const lines = new XmlLines();
  addOpening(lines, rpm, file);
  addFiles(lines, 1, rpm, () => true);
  lines.add("</package>");
  return lines.toString();
}

/** Returns the package's part of other.xml. Throws BadRpm if it is too long. */
export function otherStanza(rpm: RpmPackage, file: RpmFileFacts): string {
  const lines = new XmlLines();
  addOpening(lines, rpm, file);
  for (const { author, time, text } of rpm.changelog) {
    lines.element(1, "changelog", xmlAttribute("author", author) + xmlAttribute("date", time), text);
  }
  lines.add("</package>");
  return lines.toString();
}

function addOpening(lines: XmlLines, { name, arch, ...rpm }: RpmPackage, { sha256 }: RpmFileFacts): void {
  lines.add(`<package${xmlAttribute("pkgid", sha256)}${xmlAttribute("name", name)}${xmlAttribute("arch", arch)}>`);
  addVersion(lines, rpm);
}

function addVersion(lines: XmlLines, rpm: Pick<RpmPackage, "epoch" | "version" | "release">): void {
  lines.element(
    1,
    "version",
    xmlAttribute("epoch", rpm.epoch) + xmlAttribute("ver", rpm.version) + xmlAttribute("rel", rpm.release),
  );
}

function addFiles(lines: XmlLines, level: number, { files }: RpmPackage, isWanted: (path: string) => boolean): void {
  for (const { path, type } of files) {
    if (isWanted(path)) {
      lines.element(level, "file", type === "" ? "" : xmlAttribute("type", type), path);
    }
  }
}

function addDependencies(lines: XmlLines, element: string, dependencies: readonly RpmDependency[]): void {
  if (dependencies.length === 0) {
    return;
  }
  lines.add(`    <${element}>`);
  for (const { name, flags, epoch, version, release, isBefore } of dependencies) {
    if (name === "") {
      continue;
    }
    const compared: readonly (readonly [string, string])[] =
      flags === ""
        ? []
        : [
            ["flags", flags],
            ["epoch", epoch],
            ["ver", version],
            ["rel", release],
          ];
    const attributes = compared.filter(([, value]) => value !== "").map(([key, value]) => xmlAttribute(key, value));
    lines.element(
      3,
      "rpm:entry",
      xmlAttribute("name", name) + attributes.join("") + (isBefore ? xmlAttribute("pre", 1) : ""),
    );
  }
  lines.add(`    </${element}>`);
}
