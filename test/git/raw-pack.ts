import zlib from "node:zlib";
import { sha1, type ObjectFormat } from "../../src/git/objects/object-format.ts";
import { EntryKind, writeBaseDistance, writeEntryHeader } from "../../src/git/pack/pack-entry.ts";

/** An entry to put in a pack as it is, whether that makes sense or not. */
export interface RawEntry {
  readonly kind: EntryKind;
  readonly data: Uint8Array;
  /** The size that the header names, where it is not that of the data. */
  readonly size?: number;
  /** For OFS_DELTA: the number of the base's entry, or a distance in bytes. */
  readonly base?: number;
  readonly distance?: number;
  /** For REF_DELTA. */
  readonly baseOid?: Uint8Array;
}

/** A pack of these entries with a right checksum; `count` is what its header says. */
export function rawPack(
  entries: readonly RawEntry[],
  count: number = entries.length,
  format: ObjectFormat = sha1,
): Buffer {
  const header = Buffer.from("PACK\0\0\0\u0002\0\0\0\0", "latin1");
  header.writeUInt32BE(count, 8);
  const parts: Uint8Array[] = [header];
  const offsets: number[] = [];
  let offset = header.length;
  for (const entry of entries) {
    const head = new Uint8Array(64);
    let end = writeEntryHeader(head, 0, entry.kind, entry.size ?? entry.data.length);
    if (entry.kind === EntryKind.ofsDelta) {
      end = writeBaseDistance(head, end, entry.distance ?? offset - offsets[entry.base!]!);
    } else if (entry.kind === EntryKind.refDelta) {
      head.set(entry.baseOid!, end);
      end += entry.baseOid!.length;
    }
    const bytes = Buffer.concat([head.subarray(0, end), zlib.deflateSync(entry.data)]);
    offsets.push(offset);
    offset += bytes.length;
    parts.push(bytes);
  }
  return sealed(Buffer.concat(parts), format);
}

/** The bytes with their checksum behind them. */
export function sealed(bytes: Uint8Array, format: ObjectFormat = sha1): Buffer {
  const hasher = format.hasher();
  hasher.update(bytes);
  return Buffer.concat([bytes, hasher.digest()]);
}
