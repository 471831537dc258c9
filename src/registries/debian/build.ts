import type { IndexFile, IndexFormat, IndexSource } from "../../domain/packages/package-indexes.ts";
import type { PartBytes } from "../../domain/packages/index-queries.ts";
import type { KeyPair, PackageKeys } from "../../domain/packages/package-keys.ts";
import { makeOpenPgpPair, openPgpSigner } from "../shared/openpgp.ts";
import { writeRelease, type ListedFile } from "./index.ts";

const origin = "Stithy";
/** The architecture of packages for all of them. */
const anyArchitecture = "all";

/** The part of a distribution's index that a package stands in. */
export function partOf(component: string, architecture: string): string {
  return `${component}/binary-${architecture}`;
}

/** The component and the architecture of a part. */
export function readPart(part: string): { component: string; architecture: string } {
  const [component = "", directory = ""] = part.split("/");
  return { component, architecture: directory.slice("binary-".length) };
}

/** The pair that signs an owner's distributions. An upload has it made in a thread before an index is wanted. */
export function debianKey(keys: PackageKeys, ownerId: number, makePair = makeOpenPgpPair): Promise<KeyPair> {
  return keys.get(ownerId, "debian", () => makePair("Debian Registry"));
}

/** The bytes of the lists that a distribution of these parts has, see build: packages for all architectures count for each list that they stand in. */
export function listedBytes(parts: readonly PartBytes[]): number {
  const bytes = new Map(parts.map((each) => [each.part, each.bytes]));
  return listsOf([...bytes.keys()])
    .flatMap((list) => list.parts)
    .reduce((total, part) => total + (bytes.get(part) ?? 0), 0);
}

/** The packages of some parts, in one text. */
interface List {
  readonly parts: readonly string[];
  /** All that have this text: the architectures of a component without packages of their own share one. */
  readonly paths: readonly string[];
}

/** The lists of a distribution of these parts. Packages for all architectures stand with each one as well: not every client reads a list of their own. */
function listsOf(names: readonly string[]): List[] {
  const parts = names.map(readPart);
  const architectures = namesOf(parts.map(({ architecture }) => architecture));
  const lists = new Map<string, { parts: string[]; paths: string[] }>();
  for (const component of namesOf(parts.map((part) => part.component))) {
    const own = parts.filter((part) => part.component === component).map(({ architecture }) => architecture);
    for (const architecture of own.includes(anyArchitecture) ? architectures : own) {
      const listed = namesOf([architecture, anyArchitecture])
        .filter((name) => own.includes(name))
        .map((name) => partOf(component, name));
      const list = lists.get(listed.join()) ?? { parts: listed, paths: [] };
      list.paths.push(`${partOf(component, architecture)}/Packages`);
      lists.set(listed.join(), list);
    }
  }
  return [...lists.values()];
}

/** The indexes of distributions: Packages of each component and architecture, and what names and signs them. */
export const debianIndex: IndexFormat = { type: "debian", build };

async function build(source: IndexSource): Promise<readonly IndexFile[]> {
  const parts = source.parts.map(({ part }) => readPart(part));
  const components = namesOf(parts.map(({ component }) => component));
  const architectures = namesOf(parts.map(({ architecture }) => architecture));
  const lists: IndexFile[] = [];
  for (const { paths, parts: own } of listsOf(source.parts.map(({ part }) => part))) {
    const [path = ""] = paths;
    const { blob } = await source.stage(path, paragraphs(own.map((part) => source.stanzas(part))));
    const { blob: packed } = await source.stageGzip(`${path}.gz`, blob.content.stream());
    lists.push(
      ...paths.flatMap((each) => [
        { path: each, blob },
        { path: `${each}.gz`, blob: packed },
      ]),
    );
  }
  lists.sort((one, other) => (one.path < other.path ? -1 : 1));
  const distribution = source.index.name;
  const release = { origin, distribution, components, architectures, date: new Date(), files: lists.map(listed) };
  const text = writeRelease(release);
  const signer = await openPgpSigner((await debianKey(source.keys, source.index.ownerId)).secretKey);
  const [detached, clear] = await Promise.all([signer.signArmored(Buffer.from(text)), signer.clearSign(text)]);
  return [
    ...lists,
    await source.stage("Release", text),
    await source.stage("Release.gpg", detached),
    await source.stage("InRelease", clear),
  ];
}

const namesOf = (names: readonly string[]): string[] => [...new Set(names)].sort();

async function* paragraphs(texts: readonly AsyncIterable<string>[]): AsyncGenerator<string> {
  for (const text of texts) {
    for await (const stanza of text) {
      yield `${stanza}\n`;
    }
  }
}

function listed({ path, blob: { bytes, sha256, digests } }: IndexFile): ListedFile {
  const { md5 = "", sha1 = "", sha512 = "" } = digests;
  return { path, bytes, md5, sha1, sha256, sha512 };
}
