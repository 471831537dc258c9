import { InvalidInput } from "../../lib/errors.ts";
import type { ObjectFormat } from "./object-format.ts";

const digits = "0123456789abcdef";
/** Value of an ASCII hexadecimal digit, -1 for every other byte. */
const digitValue = new Int8Array(256).fill(-1);
for (let value = 0; value < 16; value++) {
  digitValue[digits.charCodeAt(value)] = value;
  digitValue[digits.toUpperCase().charCodeAt(value)] = value;
}
const pairs = Array.from({ length: 256 }, (_, byte) => digits.charAt(byte >> 4) + digits.charAt(byte & 15));

/**
 * The bytes of a hexadecimal oid, written to `out` from `at` (a new array without `out`).
 * Throws InvalidInput if `hex` is not an even number of hexadecimal digits.
 */
export function hexToBytes(hex: string, out: Uint8Array = new Uint8Array(hex.length >> 1), at = 0): Uint8Array {
  for (let read = 0, write = at; read < hex.length; read += 2, write++) {
    const byte = (valueOf(hex.charCodeAt(read)) << 4) | valueOf(hex.charCodeAt(read + 1));
    if (byte < 0) {
      throw new InvalidInput(`Cannot read "${hex}" as a hexadecimal object id`);
    }
    out[write] = byte;
  }
  return out;
}

/** The hexadecimal digits of `length` bytes from `at`. */
export function bytesToHex(bytes: Uint8Array, at = 0, length: number = bytes.length - at): string {
  let hex = "";
  for (let read = at; read < at + length; read++) {
    hex += pairs[bytes[read]!]!;
  }
  return hex;
}

/** Whether `text` is an oid as git prints it: all digits, lower case. */
export function isOid(text: string, format: ObjectFormat): boolean {
  return text.length === format.hexLength && /^[0-9a-f]+$/.test(text);
}

/**
 * Reads an oid written in hexadecimal inside a buffer (a `tree` line of a commit, a pkt-line) without making a string.
 * Returns false, with `out` in an undefined state, if there are not `out.length` pairs of digits at `at`.
 */
export function parseHexAt(bytes: Uint8Array, at: number, out: Uint8Array): boolean {
  if (at + 2 * out.length > bytes.length) {
    return false;
  }
  for (let write = 0, read = at; write < out.length; write++, read += 2) {
    const byte = (digitValue[bytes[read]!]! << 4) | digitValue[bytes[read + 1]!]!;
    if (byte < 0) {
      return false;
    }
    out[write] = byte;
  }
  return true;
}

/** Orders oids as pack indexes do: as unsigned bytes. */
export function compareOids(
  left: Uint8Array,
  leftAt: number,
  right: Uint8Array,
  rightAt: number,
  length: number,
): number {
  for (let at = 0; at < length; at++) {
    const difference = left[leftAt + at]! - right[rightAt + at]!;
    if (difference !== 0) {
      return difference;
    }
  }
  return 0;
}

/** -1 for NaN and everything beyond Latin-1 too. */
function valueOf(charCode: number): number {
  return charCode < 256 ? digitValue[charCode]! : -1;
}
