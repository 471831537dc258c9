import { readDependencies } from "./dependencies.ts";
import { BadRpm, type RpmHeader } from "./header.ts";
import type { RpmChange, RpmFile, RpmPackage } from "./package.ts";
import { trimEndOf } from "../../lib/trim-text.ts";

/** Tags of the main header and, from 257 to 299, of the signature header. */
export const rpmTags = {
  immutable: 63,
  name: 1000,
  version: 1001,
  release: 1002,
  epoch: 1003,
  summary: 1004,
  description: 1005,
  buildTime: 1006,
  buildHost: 1007,
  size: 1009,
  vendor: 1011,
  license: 1014,
  packager: 1015,
  group: 1016,
  url: 1020,
  arch: 1022,
  fileModes: 1030,
  fileFlags: 1037,
  sourceRpm: 1044,
  archiveSize: 1046,
  changeTimes: 1080,
  changeNames: 1081,
  changeTexts: 1082,
  sourcePackage: 1106,
  dirIndexes: 1116,
  baseNames: 1117,
  dirNames: 1118,
  longSize: 5009,
  payloadDigest: 5092,
  payloadDigestAlgorithm: 5093,
  format: 5114,
} as const;

export const signatureTags = {
  region: 62,
  dsa: 267,
  rsa: 268,
  sha1: 269,
  longSize: 270,
  longArchiveSize: 271,
  sha256: 273,
  openPgp: 278,
  size: 1000,
  pgp: 1002,
  gpg: 1005,
  payloadSize: 1007,
  reserved: 1008,
} as const;

/** The most characters of all paths of a package: short names in few long directories would make a long list of a small header. */
const mostPathCharacters = 16 * 1024 * 1024;
const mostChanges = 10;
const directoryMode = 0o040000;
const typeMode = 0o170000;
const ghostFlag = 64;

/** rpm's own rules for names. Addresses and file names are stricter. */
const patterns = {
  name: /^[A-Za-z0-9_][A-Za-z0-9_.+-]*$/,
  version: /^[A-Za-z0-9_.+~^]+$/,
  release: /^[A-Za-z0-9_.+~^]+$/,
  architecture: /^[A-Za-z0-9_]+$/,
};
const longestName = 200;

/**
 * Returns what a package's headers say. `start` is where the main header begins in the file, bytes; `isSource` is what the lead
 * says, which very old packages rely on. Throws BadRpm.
 */
export function parseRpmHeaders(
  signatures: RpmHeader,
  main: RpmHeader,
  { start, isSource }: { start: number; isSource: boolean },
): RpmPackage {
  const text = (tag: number): string => main.text(tag) ?? "";
  const files = readFiles(main);
  const ownPrimary = new Set(files.map(({ path }) => path).filter(isPrimaryFile));
  return {
    name: named(main, "name", rpmTags.name),
    epoch: main.number(rpmTags.epoch) ?? 0,
    version: named(main, "version", rpmTags.version),
    release: named(main, "release", rpmTags.release),
    arch: isSource || main.has(rpmTags.sourcePackage) ? "src" : named(main, "architecture", rpmTags.arch),
    summary: text(rpmTags.summary),
    description: text(rpmTags.description),
    url: text(rpmTags.url),
    license: text(rpmTags.license),
    vendor: text(rpmTags.vendor),
    packager: text(rpmTags.packager),
    group: text(rpmTags.group),
    buildHost: text(rpmTags.buildHost),
    sourceRpm: text(rpmTags.sourceRpm),
    buildTime: main.number(rpmTags.buildTime) ?? 0,
    installedBytes: main.number(rpmTags.longSize) ?? main.number(rpmTags.size) ?? 0,
    archiveBytes:
      signatures.number(signatureTags.longArchiveSize) ??
      signatures.number(signatureTags.payloadSize) ??
      main.number(rpmTags.archiveSize) ??
      0,
    headerStart: start,
    headerEnd: start + main.bytes.length,
    dependencies: readDependencies(main, (path) => ownPrimary.has(path)),
    files,
    changelog: readChangelog(main),
  };
}

function named(main: RpmHeader, what: keyof typeof patterns, tag: number): string {
  const text = main.text(tag) ?? "";
  if (!patterns[what].test(text) || text.length > longestName || /^\.+$/.test(text)) {
    throw new BadRpm(`its ${what} is "${text.slice(0, 80)}"`);
  }
  return text;
}

/** Files that stand in primary.xml, since dependencies name them. Source: createrepo, and what yum looks for there. */
export function isPrimaryFile(path: string): boolean {
  return path.startsWith("/etc/") || path === "/usr/lib/sendmail" || path.includes("bin/");
}

function readFiles(main: RpmHeader): RpmFile[] {
  const names = main.texts(rpmTags.baseNames);
  const [indexes, modes, flags] = [rpmTags.dirIndexes, rpmTags.fileModes, rpmTags.fileFlags].map((tag) =>
    main.numbers(tag),
  ) as [ArrayLike<number>, ArrayLike<number>, ArrayLike<number>];
  if (indexes.length !== names.length || modes.length !== names.length || flags.length !== names.length) {
    throw new BadRpm("its tags of files do not have as many values as each other");
  }
  const directories = main.texts(rpmTags.dirNames);
  let characters = 0;
  return names.map((name, at) => {
    const directory = directories[indexes[at]!] ?? "";
    characters += directory.length + name.length;
    if (characters > mostPathCharacters) {
      throw new BadRpm(`the paths of its files have more than ${mostPathCharacters} characters`);
    }
    const isDirectory = (modes[at]! & typeMode) === directoryMode;
    return { path: directory + name, type: isDirectory ? "dir" : (flags[at]! & ghostFlag) !== 0 ? "ghost" : "" };
  });
}

/** Each further entry of the same time gets one second more, since clients tell entries apart by the time. */
function readChangelog(main: RpmHeader): RpmChange[] {
  const [times, names, texts] = [
    main.numbers(rpmTags.changeTimes),
    main.texts(rpmTags.changeNames),
    main.texts(rpmTags.changeTexts),
  ];
  if (names.length !== times.length || texts.length !== times.length) {
    throw new BadRpm("its tags of changes do not have as many values as each other");
  }
  const found: { author: string; time: number; text: string }[] = [];
  for (let at = 0; at < Math.min(times.length, mostChanges); at++) {
    const time = times[at]!;
    let taken = time;
    for (let later = found.length - 1; later >= 0 && times[at - 1] === time && found[later]!.time === taken; later--) {
      found[later]!.time = ++taken;
    }
    found.push({ author: trimEndOf(names[at]!, " ") || names[at]!.slice(0, 1), time, text: texts[at]! });
  }
  return found.toReversed();
}
