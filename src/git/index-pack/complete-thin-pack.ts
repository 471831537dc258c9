import { dirname } from "node:path";
import type { ObjectFormat } from "../objects/object-format.ts";
import type { ObjectDatabase } from "../odb/object-database.ts";
import { deflatePieces } from "../pack/deflate-pieces.ts";
import type { EntryTable } from "../pack/entry-table.ts";
import { FileRange } from "../pack/inflate-pieces.ts";
import { writeEntryHeader } from "../pack/pack-entry.ts";
import { PackEntry, type PackFile } from "../pack/pack-file.ts";
import { packedEntry, sealPack, writeFully } from "../pack/pack-output.ts";

export interface ThinPack {
  /** The pack, open for writing. */
  readonly descriptor: number;
  readonly path: string;
  readonly format: ObjectFormat;
  readonly table: EntryTable;
  /** Which of the entries of the table are too large to be held. */
  readonly isLarge: (entry: number) => boolean;
  /** Called now and then; may throw. */
  readonly step: () => void;
}

/**
 * Makes a thin pack stand alone: writes the entries of the table from `firstAdded` on, whose objects it lacks, over its
 * checksum, then the new count and a new checksum, which is returned. Fills in the columns of these entries.
 * `added` are the positions of their objects in `bases`. Throws CorruptPack, StorageFull.
 */
export function completeThinPack(
  pack: ThinPack,
  bases: ObjectDatabase,
  added: readonly number[],
  firstAdded: number,
): Uint8Array {
  const { descriptor, path, table } = pack;
  let end = table.offsets[firstAdded]!;
  for (const [number, position] of added.entries()) {
    pack.step();
    const entry = firstAdded + number;
    table.offsets[entry] = end;
    if (pack.isLarge(entry)) {
      end = appendLarge(pack, bases, position, entry);
    } else {
      const { headerBytes, bytes } = packedEntry(bases.read(position));
      writeFully(descriptor, bytes, end);
      table.headerBytes[entry] = headerBytes;
      table.crcs[entry] = Bun.hash.crc32(bytes);
      end += bytes.length;
    }
    table.offsets[entry + 1] = end;
  }
  return sealPack(descriptor, path, pack.format, table.count, end, pack.step);
}

/** Writes an entry a piece at a time: as it lies in its pack if it is whole there. Returns where it ends. */
function appendLarge(thin: ThinPack, bases: ObjectDatabase, position: number, entry: number): number {
  const { table } = thin;
  const number = bases.packNumberOf(position);
  const pack = bases.packs[number]!;
  const inPack = position - bases.startOf(number);
  const stored = new PackEntry();
  pack.readHeader(pack.index.offsetAt(inPack), stored);
  const isWhole = stored.baseOffset < 0;
  let headerBytes = stored.headerBytes;
  let pieces: Iterable<Uint8Array>;
  if (isWhole) {
    pieces = bytesOf(pack, stored.offset);
  } else {
    const header = new Uint8Array(16);
    headerBytes = writeEntryHeader(header, 0, bases.typeAt(position), bases.sizeAt(position));
    pieces = concat([header.subarray(0, headerBytes)], deflatePieces(bases.readPieces(position, dirname(thin.path))));
  }
  let end = table.offsets[entry]!;
  let crc = 0;
  for (const piece of pieces) {
    thin.step();
    writeFully(thin.descriptor, piece, end);
    crc = Bun.hash.crc32(piece, crc);
    end += piece.length;
  }
  if (isWhole && crc !== pack.index.crcAt(inPack)) {
    throw pack.corrupt(`the entry at byte ${stored.offset} is damaged`);
  }
  table.headerBytes[entry] = headerBytes;
  table.crcs[entry] = crc;
  return end;
}

/** An entry as it stands in a pack. */
function* bytesOf(pack: PackFile, offset: number): Generator<Uint8Array, void> {
  const range = new FileRange(pack.descriptor, pack.path, offset, pack.order.endOf(offset));
  for (let bytes = range.next(); bytes !== null; bytes = range.next()) {
    yield bytes;
  }
}

function* concat(...parts: readonly Iterable<Uint8Array>[]): Generator<Uint8Array, void> {
  for (const part of parts) {
    yield* part;
  }
}
