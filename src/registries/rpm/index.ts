import { createHash } from "node:crypto";
import type { IndexFile, IndexFormat, IndexSource } from "../../domain/packages/package-indexes.ts";
import type { KeyPair, PackageKeys } from "../../domain/packages/package-keys.ts";
import { makeOpenPgpPair, openPgpSigner } from "../shared/openpgp.ts";
import { advisoryStanza, mergedAdvisories } from "./errata.ts";
import { xmlAttribute } from "./xml.ts";

const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** The parts of a group's index that packages have stanzas in, with the elements that they stand in. */
const lists = {
  primary: ["metadata", "http://linux.duke.edu/metadata/common"],
  filelists: ["filelists", "http://linux.duke.edu/metadata/filelists"],
  other: ["otherdata", "http://linux.duke.edu/metadata/other"],
} as const;
const rpmNamespace = "http://linux.duke.edu/metadata/rpm";
/** The part whose stanzas are the advisories of versions (errata.ts). */
export const advisoriesPart = "updateinfo";

/** Files of an index by what repomd.xml calls them. */
export const dataNames = [...(Object.keys(lists) as (keyof typeof lists)[]), advisoriesPart] as const;
type DataName = (typeof dataNames)[number];

/** The pair of keys of an owner's RPM registry. An upload has it made in a thread before an index is wanted. */
export function rpmKey(keys: PackageKeys, ownerId: number, makePair = makeOpenPgpPair): Promise<KeyPair> {
  return keys.get(ownerId, "rpm", () => makePair("RPM Registry"));
}

/** A file of the index, and what it was before it was compressed. */
interface Data {
  readonly name: DataName;
  readonly file: IndexFile;
  readonly openSha256: string;
  readonly openBytes: number;
}

/**
 * The index of a group: repomd.xml, its signature, and the lists that it names by their SHA-256. They lie at fixed paths, where
 * clients that know none but those look; all others ask by the SHA-256.
 */
export const rpmIndex: IndexFormat = {
  type: "rpm",
  async build(source) {
    // Side by side: one is compressed on another thread while the stanzas of the next are read.
    const names = Object.keys(lists) as (keyof typeof lists)[];
    const data: Data[] = await Promise.all(names.map((name) => stageData(source, name, listText(source, name))));
    if (source.parts.some(({ part }) => part === advisoriesPart)) {
      data.push(await stageData(source, advisoriesPart, advisoriesText(source)));
    }
    const { publicKey, secretKey } = await rpmKey(source.keys, source.index.ownerId);
    const { signArmored } = await openPgpSigner(secretKey);
    const repomd = repomdText(data, Math.floor(Date.now() / 1000));
    return [
      ...data.map(({ file }) => file),
      await source.stage("repomd.xml", repomd),
      await source.stage("repomd.xml.asc", await signArmored(Buffer.from(repomd))),
      // zypper looks for the key here.
      await source.stage("repomd.xml.key", publicKey),
    ];
  },
};

async function stageData(source: IndexSource, name: DataName, content: AsyncIterable<string>): Promise<Data> {
  const hash = createHash("sha256");
  let openBytes = 0;
  const measured = async function* () {
    for await (const text of inPieces(content)) {
      const bytes = Buffer.from(text);
      hash.update(bytes);
      openBytes += bytes.length;
      yield bytes;
    }
  };
  const file = await source.stageGzip(`${name}.xml.gz`, measured());
  return { name, file, openSha256: hash.digest("hex"), openBytes };
}

const pieceCharacters = 64 * 1024;

/** Yields the text in larger pieces: there are tens of thousands of stanzas, and each piece costs. */
async function* inPieces(content: AsyncIterable<string>): AsyncGenerator<string> {
  let pending = "";
  for await (const text of content) {
    pending += text;
    if (pending.length >= pieceCharacters) {
      yield pending;
      pending = "";
    }
  }
  yield pending;
}

async function* listText(source: IndexSource, name: keyof typeof lists): AsyncGenerator<string> {
  const [element, namespace] = lists[name];
  const count = source.parts.find(({ part }) => part === name)?.count ?? 0;
  const ofRpm = name === "primary" ? xmlAttribute("xmlns:rpm", rpmNamespace) : "";
  yield `${declaration}<${element}${xmlAttribute("xmlns", namespace)}${ofRpm}${xmlAttribute("packages", count)}>\n`;
  yield* source.stanzas(name);
  yield `</${element}>\n`;
}

async function* advisoriesText(source: IndexSource): AsyncGenerator<string> {
  yield `${declaration}<updates>\n`;
  for await (const advisory of mergedAdvisories(() => source.stanzas(advisoriesPart))) {
    yield advisoryStanza(advisory);
  }
  yield "</updates>\n";
}

/** `now`: seconds since 1970. */
function repomdText(data: readonly Data[], now: number): string {
  const entries = data.map(
    ({ name, file: { path, blob }, openSha256, openBytes }) => `  <data${xmlAttribute("type", name)}>
    <checksum type="sha256">${blob.sha256}</checksum>
    <open-checksum type="sha256">${openSha256}</open-checksum>
    <location${xmlAttribute("href", `repodata/${blob.sha256}-${path}`)}/>
    <timestamp>${now}</timestamp>
    <size>${blob.bytes}</size>
    <open-size>${openBytes}</open-size>
  </data>
`,
  );
  return `${declaration}<repomd${xmlAttribute("xmlns", "http://linux.duke.edu/metadata/repo")}${xmlAttribute("xmlns:rpm", rpmNamespace)}>
  <revision>${now}</revision>
${entries.join("")}</repomd>
`;
}
