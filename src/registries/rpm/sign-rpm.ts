import { BadRpm, headerEntryBytes, headerIntroBytes, rpmTypes, type RpmEntry, type RpmHeader } from "./header.ts";
import type { RpmPackage } from "./package.ts";
import { rpmTags, signatureTags } from "./parse.ts";
import { signaturePadding, type ReadRpm } from "./read-rpm.ts";

/** Signatures by others, and the room that was kept for one. */
const replacedTags: ReadonlySet<number> = new Set([
  signatureTags.region,
  signatureTags.dsa,
  signatureTags.rsa,
  signatureTags.openPgp,
  signatureTags.pgp,
  signatureTags.gpg,
  signatureTags.reserved,
]);

/** Where values of a type may start is a multiple of this. */
const alignments: Readonly<Record<number, number>> = { 3: 2, 4: 4, 5: 8 };
const signedFormat = 4;

interface Value extends Omit<RpmEntry, "offset"> {
  readonly bytes: Uint8Array;
}

/**
 * Returns what a package's file begins with, up to its payload, when it is signed, and what the package is then: the signature of
 * the main header, which holds the payload's digest, stands in place of all others. `sign` returns the RSA signature of bytes as an
 * OpenPGP packet. Throws BadRpm for a package of rpm 6's format, whose signatures stand elsewhere.
 * Source: "RPM V4 Package format" and "V4 signatures" of rpm's manual.
 */
export async function signRpm(
  { lead, signatures, main, package: rpm }: ReadRpm,
  sign: (bytes: Uint8Array) => Promise<Uint8Array>,
): Promise<{ head: Buffer; package: RpmPackage }> {
  if ((main.number(rpmTags.format) ?? signedFormat) > signedFormat) {
    throw new BadRpm("only packages of the format 4 are signed here");
  }
  const bytes = await sign(main.bytes);
  const values = [
    ...keptValues(signatures),
    { tag: signatureTags.rsa, type: rpmTypes.binary, count: bytes.length, bytes },
  ].sort((one, other) => one.tag - other.tag);
  const header = writeSignatureHeader(values);
  const end = lead.length + header.length;
  const padding = Buffer.alloc(Math.ceil(end / signaturePadding) * signaturePadding - end);
  const headerStart = end + padding.length;
  return {
    head: Buffer.concat([lead, header, padding, main.bytes]),
    package: { ...rpm, headerStart, headerEnd: headerStart + main.bytes.length },
  };
}

function keptValues(signatures: RpmHeader): Value[] {
  return signatures
    .entries()
    .filter(({ tag }) => !replacedTags.has(tag))
    .map((entry) => ({ tag: entry.tag, type: entry.type, count: entry.count, bytes: signatures.raw(entry) }));
}

/** Writes a header whose region holds these values; header.ts has the format. */
function writeSignatureHeader(values: readonly Value[]): Buffer {
  const entries = values.length + 1;
  const parts: Uint8Array[] = [];
  const index: Buffer[] = [];
  let offset = 0;
  const append = (bytes: Uint8Array): void => {
    parts.push(bytes);
    offset += bytes.length;
  };
  for (const { tag, type, count, bytes } of values) {
    const alignment = alignments[type] ?? 1;
    append(Buffer.alloc((alignment - (offset % alignment)) % alignment));
    index.push(entryBytes({ tag, type, offset, count }));
    append(bytes);
  }
  const region = { tag: signatureTags.region, type: rpmTypes.binary, count: headerEntryBytes };
  const first = entryBytes({ ...region, offset });
  append(entryBytes({ ...region, offset: (-entries * headerEntryBytes) >>> 0 }));
  const intro = Buffer.alloc(headerIntroBytes);
  intro.write("8eade801", "hex");
  intro.writeUInt32BE(entries, 8);
  intro.writeUInt32BE(offset, 12);
  return Buffer.concat([intro, first, ...index, ...parts]);
}

function entryBytes({ tag, type, offset, count }: RpmEntry): Buffer {
  const bytes = Buffer.alloc(headerEntryBytes);
  bytes.writeUInt32BE(tag, 0);
  bytes.writeUInt32BE(type, 4);
  bytes.writeUInt32BE(offset, 8);
  bytes.writeUInt32BE(count, 12);
  return bytes;
}
