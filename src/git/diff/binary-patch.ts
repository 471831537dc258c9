import { deflateSync } from "node:zlib";
import { encodeDelta } from "../pack/delta-encode.ts";
import type { PatchOutput } from "./patch-output.ts";

const alphabet = Buffer.from("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~");
const bytesOfLine = 52;

/** Writes the `GIT binary patch` of two contents, which goes both ways: a delta where that is smaller, else all of it. */
export function writeBinaryPatch(before: Uint8Array, after: Uint8Array, out: PatchOutput): void {
  out.text("GIT binary patch\n");
  writeForward(before, after, out);
  writeForward(after, before, out);
}

function writeForward(before: Uint8Array, after: Uint8Array, out: PatchOutput): void {
  const literal = deflated(after);
  const delta = before.length === 0 || after.length === 0 ? null : encodeDelta(before, after, literal.length);
  const deflatedDelta = delta === null ? null : deflated(delta);
  if (delta !== null && deflatedDelta !== null && deflatedDelta.length < literal.length) {
    out.text(`delta ${delta.length}\n`);
    writeLines(deflatedDelta, out);
  } else {
    out.text(`literal ${after.length}\n`);
    writeLines(literal, out);
  }
}

/** A zlib stream. It says that it was made in haste, as those of git do: so short ones are the same, byte for byte. */
function deflated(bytes: Uint8Array): Uint8Array {
  const stream = deflateSync(bytes);
  stream[1] = 0x01;
  return stream;
}

/** Lines of up to 52 bytes: a letter for how many (A to Z, a to z), then five base-85 digits for each four of them. */
function writeLines(bytes: Uint8Array, out: PatchOutput): void {
  for (let start = 0; start < bytes.length; start += bytesOfLine) {
    const length = Math.min(bytesOfLine, bytes.length - start);
    out.byte(length <= 26 ? 0x40 + length : 0x60 + length - 26);
    for (let at = start; at < start + length; at += 4) {
      writeDigits(bytes, at, out);
    }
    out.byte(0x0a);
  }
  out.byte(0x0a);
}

/** Four bytes, high one first, as five digits, high one first; zeros stand for bytes beyond the end. */
function writeDigits(bytes: Uint8Array, at: number, out: PatchOutput): void {
  let value = 0;
  for (let byte = at; byte < at + 4; byte++) {
    value = value * 256 + (bytes[byte] ?? 0);
  }
  for (let power = 85 ** 4; power >= 1; power /= 85) {
    out.byte(alphabet[Math.floor(value / power) % 85]!);
  }
}
