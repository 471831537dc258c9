import { inflateSync } from "node:zlib";
import type { BinaryPatch } from "./file-patch.ts";
import type { LineReader } from "./line-reader.ts";
import { PatchRefused } from "./patch-refused.ts";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
const digitValue = new Map([...alphabet].map((digit, value) => [digit, value]));
/** A larger content is refused before it is inflated. */
const maxBytes = 16 * 1024 * 1024;

/**
 * Reads what follows `GIT binary patch`: `literal SIZE` or `delta SIZE`, lines of base 85 (the first letter says how many
 * bytes a line holds), an empty line; then the same for the way back, which is passed over. Throws PatchRefused.
 */
export function parseBinaryPatch(
  lines: LineReader,
  oids: { readonly oldOid: string; readonly newOid: string },
): BinaryPatch {
  const forward = parsePart(lines);
  if (forward === null) {
    throw refused(lines, "it has neither a literal nor a delta");
  }
  parsePart(lines);
  return { ...forward, ...oids };
}

function parsePart(lines: LineReader): Pick<BinaryPatch, "kind" | "bytes"> | null {
  const match = /^(literal|delta) (\d{1,12})$/.exec(lines.text() ?? "");
  if (match === null) {
    return null;
  }
  const size = Number(match[2]);
  if (size > maxBytes) {
    throw refused(lines, `it holds more than ${maxBytes} bytes`);
  }
  lines.next();
  const chunks: Uint8Array[] = [];
  for (let line = lines.text(); line !== null && line !== ""; line = lines.text()) {
    chunks.push(decodeLine(lines, line));
    lines.next();
  }
  lines.next();
  return { kind: match[1] as "literal" | "delta", bytes: inflate(lines, Buffer.concat(chunks), size) };
}

function inflate(lines: LineReader, deflated: Uint8Array, size: number): Uint8Array {
  let bytes: Uint8Array;
  try {
    bytes = inflateSync(deflated, { maxOutputLength: size + 1 });
  } catch {
    throw refused(lines, "it is damaged");
  }
  if (bytes.length !== size) {
    throw refused(lines, "it has not the size that it names");
  }
  return bytes;
}

function decodeLine(lines: LineReader, line: string): Uint8Array {
  const letter = line.charCodeAt(0);
  const length =
    letter >= 0x41 && letter <= 0x5a ? letter - 0x40 : letter >= 0x61 && letter <= 0x7a ? letter - 0x60 + 26 : 0;
  const groups = Math.ceil(length / 4);
  if (length === 0 || line.length !== 1 + 5 * groups) {
    throw refused(lines, "a line is not as long as it says");
  }
  const bytes = Buffer.alloc(groups * 4);
  for (let group = 0; group < groups; group++) {
    let value = 0;
    for (const digit of line.slice(1 + 5 * group, 6 + 5 * group)) {
      value = value * 85 + (digitValue.get(digit) ?? Number.NaN);
    }
    if (!(value < 2 ** 32)) {
      throw refused(lines, "a line has characters that are no digits");
    }
    bytes.writeUInt32BE(value, group * 4);
  }
  return bytes.subarray(0, length);
}

function refused(lines: LineReader, reason: string): PatchRefused {
  return new PatchRefused(`Cannot read the binary patch before line ${lines.number}: ${reason}`, null);
}
