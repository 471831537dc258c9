import { createHash, createPublicKey, createSign, generateKeyPair } from "node:crypto";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import type { IndexFile, IndexFormat, IndexSource } from "../../domain/packages/package-indexes.ts";
import type { PartBytes } from "../../domain/packages/index-queries.ts";
import type { PackageKeys } from "../../domain/packages/package-keys.ts";
import { anyArchitecture, recordFor, tarEnd, tarHeader, tarPadding } from "./index.ts";

/** The file name of an architecture's index. */
export const indexFileName = "APKINDEX.tar.gz";

const rsaBits = 4096;

/** The key that signs an owner's indexes. */
interface AlpineKey {
  /** The file name that clients must use for it, since indexes name it. It stays when the owner is renamed. */
  readonly fileName: string;
  /** PEM. */
  readonly publicKey: string;
  readonly secretKey: string;
}

/** The key of an owner's registry; where there is none it is made, and called after the owner. */
export async function alpineKey(keys: PackageKeys, ownerId: number, ownerName: string): Promise<AlpineKey> {
  const { publicKey, secretKey } = await keys.get(ownerId, "alpine", () => makeKey(ownerName));
  // The name stands in a line of its own before the key.
  const end = secretKey.indexOf("\n");
  return { fileName: secretKey.slice(0, end), publicKey, secretKey: secretKey.slice(end + 1) };
}

async function makeKey(ownerName: string) {
  const { publicKey, privateKey } = await promisify(generateKeyPair)("rsa", {
    modulusLength: rsaBits,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const der = createPublicKey(publicKey).export({ type: "spki", format: "der" });
  const fileName = `${ownerName.toLowerCase()}@${createHash("sha256").update(der).digest("hex")}.rsa.pub`;
  return { publicKey, secretKey: `${fileName}\n${privateKey}` };
}

/** The parts that the index of an architecture has: its own, and the packages that are for all. */
const partsFor = (architecture: string, parts: readonly string[]): string[] =>
  parts.filter((part) => part === architecture || part === anyArchitecture);

/** The bytes of the records that all indexes of a repository of these parts have. */
export function listedBytes(parts: readonly PartBytes[]): number {
  const bytes = new Map(parts.map((each) => [each.part, each.bytes]));
  const names = [...bytes.keys()];
  return names.flatMap((name) => partsFor(name, names)).reduce((total, part) => total + (bytes.get(part) ?? 0), 0);
}

/** The indexes of a repository: one for each architecture, with the packages that are for all of them. */
export const alpineIndexes: IndexFormat = {
  type: "alpine",
  async build(source) {
    // An upload makes the key before the index is wanted.
    const key = await alpineKey(source.keys, source.index.ownerId, "registry");
    const architectures = source.parts.map(({ part }) => part);
    const files: IndexFile[] = [];
    for (const architecture of architectures) {
      files.push(await buildIndex(source, architecture, partsFor(architecture, architectures), key));
    }
    return files;
  },
};

/**
 * One index: a gzip member with a tar of the signature, without the blocks at its end, and a member with the tar of the records.
 * The signature is of the bytes of the second member, by RSA with SHA-1, which every version of apk knows. Source: the Alpine
 * wiki, "Apk spec".
 */
async function buildIndex(
  source: IndexSource,
  architecture: string,
  parts: readonly string[],
  key: AlpineKey,
): Promise<IndexFile> {
  const path = `${architecture}/${indexFileName}`;
  const text = await source.stage(path, recordsOf(source, architecture, parts));
  const member = await source.stageGzip(path, tarOf(text));
  const signer = createSign("RSA-SHA1");
  for await (const chunk of chunksOf(member)) {
    signer.update(chunk);
  }
  const signature = signer.sign(key.secretKey);
  const head = gzipSync(
    Buffer.concat([tarHeader(`.SIGN.RSA.${key.fileName}`, signature.length), signature, tarPadding(signature.length)]),
  );
  return source.stage(path, joined(head, member));
}

async function* recordsOf(
  { stanzas }: IndexSource,
  architecture: string,
  parts: readonly string[],
): AsyncGenerator<string> {
  for (const part of parts) {
    for await (const record of stanzas(part)) {
      yield part === anyArchitecture ? recordFor(record, architecture) : record;
    }
  }
}

async function* tarOf(text: IndexFile): AsyncGenerator<Uint8Array> {
  const { bytes } = text.blob;
  yield tarHeader("APKINDEX", bytes);
  yield* chunksOf(text);
  yield tarPadding(bytes);
  yield tarEnd;
}

async function* joined(head: Uint8Array, member: IndexFile): AsyncGenerator<Uint8Array> {
  yield head;
  yield* chunksOf(member);
}

const chunksOf = ({ blob }: IndexFile): AsyncIterable<Uint8Array> =>
  blob.content.stream() as unknown as AsyncIterable<Uint8Array>;
