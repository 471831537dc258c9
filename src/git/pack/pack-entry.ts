import { CorruptEntry } from "./errors.ts";
import type { ObjectType } from "../objects/object-type.ts";

/**
 * An entry of a pack is a header and a zlib stream. The header's first byte holds "more follows" (bit 7), the kind
 * (bits 4-6) and the low four bits of the inflated size; each further byte has "more follows" and seven bits more.
 * Kinds 1 to 4 are whole objects. A delta names its base next: OFS_DELTA how many bytes earlier in the pack that
 * entry starts, REF_DELTA the base's oid; its inflated size is that of the instructions, not of the object.
 */
export const EntryKind = { ofsDelta: 6, refDelta: 7 } as const;
export type EntryKind = ObjectType | 6 | 7;

/** No header is longer, the base's oid included: 10 bytes of size and 32 of oid. */
export const maxHeaderBytes = 48;
/** A number of more bytes than this is beyond all limits, or written with zeros at its end to keep a reader busy. */
const maxNumberBytes = 10;

/** Where parseEntryHeader leaves its result: one object reused for all entries keeps the hot loops free of garbage. */
export class EntryHeader {
  kind: EntryKind = 1;
  /** Inflated size in bytes: of the object, or of the delta's instructions. */
  size = 0;
  /** Length of the header, the base's name included. */
  headerBytes = 0;
  /** For OFS_DELTA: how far before this entry its base starts; else 0. */
  baseDistance = 0;
  /** For REF_DELTA: where in the parsed bytes the base's oid stands; else -1. */
  baseOidAt = -1;
}

/** Parses the header at `bytes[at]`. Throws CorruptEntry if it is cut off by `end` or means nothing. */
export function parseEntryHeader(
  bytes: Uint8Array,
  at: number,
  end: number,
  oidBytes: number,
  header: EntryHeader,
): void {
  let read = at;
  let byte = byteAt(bytes, read++, end);
  const kind = (byte >> 4) & 7;
  let size = byte & 15;
  let unit = 16;
  while (byte & 0x80 && read - at <= maxNumberBytes) {
    byte = byteAt(bytes, read++, end);
    size += (byte & 0x7f) * unit;
    unit *= 128;
  }
  if (byte & 0x80 || size > Number.MAX_SAFE_INTEGER) {
    throw new CorruptEntry("Cannot read an entry's header: its size is beyond all limits");
  }
  if (kind === 0 || kind === 5) {
    throw new CorruptEntry(`Cannot read an entry's header: ${kind} is no kind of entry`);
  }
  header.baseDistance = 0;
  header.baseOidAt = -1;
  if (kind === EntryKind.ofsDelta) {
    byte = byteAt(bytes, read++, end);
    let distance = byte & 0x7f;
    for (let more = 1; byte & 0x80 && more < maxNumberBytes; more++) {
      byte = byteAt(bytes, read++, end);
      // Each further byte adds one, so that no distance can be written in two ways.
      distance = (distance + 1) * 128 + (byte & 0x7f);
    }
    if (byte & 0x80 || distance === 0 || distance > Number.MAX_SAFE_INTEGER) {
      throw new CorruptEntry(`Cannot read an entry's header: its base cannot be ${distance} bytes earlier`);
    }
    header.baseDistance = distance;
  } else if (kind === EntryKind.refDelta) {
    byteAt(bytes, read + oidBytes - 1, end);
    header.baseOidAt = read;
    read += oidBytes;
  }
  header.kind = kind as EntryKind;
  header.size = size;
  header.headerBytes = read - at;
}

/** Writes kind and size at `target[at]` and returns where the next byte goes. */
export function writeEntryHeader(target: Uint8Array, at: number, kind: EntryKind, size: number): number {
  let write = at;
  let byte = (kind << 4) | (size & 15);
  let rest = Math.floor(size / 16);
  while (rest > 0) {
    target[write++] = byte | 0x80;
    byte = rest % 128;
    rest = Math.floor(rest / 128);
  }
  target[write++] = byte;
  return write;
}

/** Writes the distance of an OFS_DELTA at `target[at]` and returns where the next byte goes. */
export function writeBaseDistance(target: Uint8Array, at: number, distance: number): number {
  let length = 1;
  for (let rest = Math.floor(distance / 128); rest > 0; rest = Math.floor((rest - 1) / 128)) {
    length++;
  }
  let rest = distance;
  for (let write = at + length - 1; write >= at; write--) {
    target[write] = (rest % 128) | (write === at + length - 1 ? 0 : 0x80);
    rest = Math.floor(rest / 128) - 1;
  }
  return at + length;
}

/**
 * An upper bound for the compressed bytes of `size` inflated ones, as any sensible deflate writes them. It only says how
 * much to read first: a stream may be longer (empty blocks are legal), then reading goes on.
 */
export function likelyCompressedBytes(size: number): number {
  return size + Math.floor(size / 128) + 64;
}

function byteAt(bytes: Uint8Array, at: number, end: number): number {
  if (at >= end || at >= bytes.length) {
    throw new CorruptEntry("Cannot read an entry's header: it is cut off", true);
  }
  return bytes[at]!;
}
