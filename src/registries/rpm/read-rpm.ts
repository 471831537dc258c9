import { createHash } from "node:crypto";
import { BadRpm, headerIntroBytes, headerLength, RpmHeader } from "./header.ts";
import type { RpmPackage } from "./package.ts";
import { parseRpmHeaders, rpmTags, signatureTags } from "./parse.ts";

/** A package with the parts of its file. */
export interface ReadRpm {
  readonly package: RpmPackage;
  /** The first 96 bytes. Its name and most of the rest are history; what kind of package it is still counts. */
  readonly lead: Buffer;
  readonly signatures: RpmHeader;
  readonly main: RpmHeader;
  /** Where the payload begins, in bytes. */
  readonly payloadStart: number;
}

const leadBytes = 96;
const leadMagic = 0xedabeedb;
const sourceKind = 1;
/** A signature header is filled up to a multiple of this. */
export const signaturePadding = 8;
/** Digests of payloads by OpenPGP's number of the algorithm. */
const payloadDigests: Readonly<Record<number, string>> = { 8: "sha256", 9: "sha384", 10: "sha512" };

/**
 * Reads a package: lead, signature header, main header, of at most `limit` bytes together, and the payload as far as there
 * are digests of it. Whatever is not whole or not as the package itself says throws BadRpm. The payload is never held or decompressed.
 */
export async function readRpm(file: Blob, limit: number): Promise<ReadRpm> {
  const lead = await bytesOf(file, 0, leadBytes);
  if (lead.length < leadBytes || lead.readUInt32BE(0) !== leadMagic) {
    throw new BadRpm("it does not begin with edabeedb");
  }
  const signatures = new RpmHeader(await headerAt(file, leadBytes, limit), null);
  const end = leadBytes + signatures.bytes.length;
  const start = Math.ceil(end / signaturePadding) * signaturePadding;
  const main = new RpmHeader(await headerAt(file, start, limit - signatures.bytes.length), rpmTags.immutable);
  const payloadStart = start + main.bytes.length;
  checkHeader(signatures, main, file.size - start);
  await checkPayload(main, file.slice(payloadStart));
  return {
    package: parseRpmHeaders(signatures, main, { start, isSource: lead.readUInt16BE(6) === sourceKind }),
    lead,
    signatures,
    main,
    payloadStart,
  };
}

async function bytesOf(file: Blob, from: number, to: number): Promise<Buffer> {
  return Buffer.from(await file.slice(from, to).arrayBuffer());
}

async function headerAt(file: Blob, at: number, limit: number): Promise<Buffer> {
  const length = headerLength(await bytesOf(file, at, at + headerIntroBytes), limit);
  if (at + length > file.size) {
    throw new BadRpm("it ends within a header");
  }
  return bytesOf(file, at, at + length);
}

/** `bytes` is what the main header and the payload have together. */
function checkHeader(signatures: RpmHeader, main: RpmHeader, bytes: number): void {
  const size = signatures.number(signatureTags.longSize) ?? signatures.number(signatureTags.size);
  if (size !== null && size !== bytes) {
    throw new BadRpm(`${bytes} bytes follow its signatures, and they say ${size}`);
  }
  for (const [tag, algorithm] of [
    [signatureTags.sha256, "sha256"],
    [signatureTags.sha1, "sha1"],
  ] as const) {
    const told = signatures.text(tag);
    if (told !== null && told !== createHash(algorithm).update(main.bytes).digest("hex")) {
      throw new BadRpm(`its header does not have the ${algorithm} that it says`);
    }
  }
}

async function checkPayload(main: RpmHeader, payload: Blob): Promise<void> {
  const algorithm = payloadDigests[main.number(rpmTags.payloadDigestAlgorithm) ?? 0];
  const told = main.text(rpmTags.payloadDigest);
  if (algorithm === undefined || told === null) {
    return;
  }
  const hash = createHash(algorithm);
  for await (const chunk of payload.stream()) {
    hash.update(chunk);
  }
  if (hash.digest("hex") !== told) {
    throw new BadRpm(`its payload does not have the ${algorithm} that it says`);
  }
}
