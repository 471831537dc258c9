import { deflatePieces } from "../pack/deflate-pieces.ts";
import { deflate } from "../pack/deflate.ts";
import type { IndexedPack } from "../pack/indexed-pack.ts";
import { EntryKind, writeBaseDistance, writeEntryHeader } from "../pack/pack-entry.ts";
import { PackEntry } from "../pack/pack-file.ts";
import type { DeltaSpool } from "./delta-spool.ts";
import { PackFileWriter } from "./pack-file-writer.ts";
import { Source, type PackList } from "./pack-list.ts";
import { readWhole, readWholePieces } from "./read-whole.ts";
import type { NewDeltas } from "./search-deltas.ts";

/**
 * Writes the objects of a list as a pack at `path` (a temporary name ending in `.pack`), in their order, but a base
 * before what is built on it. What is copied is compared with its CRC-32, what is written anew with its oid: damage does not spread into new
 * packs. Calls `onProgress` with how many objects are written. Throws CorruptPack, CorruptObject.
 */
export function writeList(
  list: PackList,
  path: string,
  spool: DeltaSpool,
  deltas: NewDeltas,
  onProgress: (done: number) => void,
): IndexedPack {
  using writer = new PackFileWriter(list.db.format, path, list.count);
  const writing = new ListWriting(list, writer, spool, deltas);
  const chain: number[] = [];
  let done = 0;
  for (let first = 0; first < list.count; first++) {
    for (let place = first; place >= 0 && !writing.isWritten(place); place = list.bases[place]!) {
      chain.push(place);
    }
    for (let place = chain.pop(); place !== undefined; place = chain.pop()) {
      writing.write(place);
      if (++done % 512 === 0) {
        onProgress(done);
      }
    }
  }
  return writer.finish();
}

class ListWriting {
  /** by place: where the entry starts; 0 for what is not written yet */
  private readonly offsets: Float64Array;
  private readonly entry = new PackEntry();
  private readonly head = new Uint8Array(64);

  constructor(
    private readonly list: PackList,
    private readonly writer: PackFileWriter,
    private readonly spool: DeltaSpool,
    private readonly deltas: NewDeltas,
  ) {
    this.offsets = new Float64Array(list.count);
  }

  isWritten(place: number): boolean {
    return this.offsets[place]! > 0;
  }

  write(place: number): void {
    const { list, writer } = this;
    const position = list.positions[place]!;
    writer.begin(list.db.oidAt(position));
    this.offsets[place] = writer.offset;
    switch (list.sources[place]) {
      case Source.whole:
      case Source.delta:
        return this.copy(place);
      case Source.newDelta:
        this.writeDeltaHeader(place, this.deltas.sizes[place]!);
        return writer.write(this.spool.read(this.deltas.offsets[place]!, this.deltas.lengths[place]!));
      default: {
        if (list.db.sizeAt(position) > list.db.largeBytes) {
          return this.writeLarge(position);
        }
        const { type, bytes } = readWhole(list.db, position);
        writer.write(this.head, 0, writeEntryHeader(this.head, 0, type, bytes.length));
        writer.write(deflate(bytes, 6));
      }
    }
  }

  private writeLarge(position: number): void {
    const { db } = this.list;
    this.writer.write(this.head, 0, writeEntryHeader(this.head, 0, db.typeAt(position), db.sizeAt(position)));
    for (const piece of deflatePieces(readWholePieces(db, position))) {
      this.writer.write(piece);
    }
  }

  private copy(place: number): void {
    const { list, writer, entry } = this;
    const { db } = list;
    const from = list.entries[place]!;
    const number = db.packNumberOf(from);
    const pack = db.packs[number]!;
    const position = from - db.startOf(number);
    const offset = pack.index.offsetAt(position);
    const end = pack.order.endOf(offset);
    pack.readHeader(offset, entry);
    const { dataStart } = entry;
    if (list.sources[place] === Source.delta) {
      this.writeDeltaHeader(place, entry.size);
    } else {
      pack.forEachChunk(offset, dataStart, (bytes, chunkFrom, chunkTo) => writer.write(bytes, chunkFrom, chunkTo));
    }
    let crc = 0;
    pack.forEachChunk(offset, dataStart, (bytes, chunkFrom, chunkTo) => {
      crc = Bun.hash.crc32(bytes.subarray(chunkFrom, chunkTo), crc);
    });
    pack.forEachChunk(dataStart, end, (bytes, chunkFrom, chunkTo) => {
      const piece = bytes.subarray(chunkFrom, chunkTo);
      crc = Bun.hash.crc32(piece, crc);
      writer.write(piece);
    });
    if (crc !== pack.index.crcAt(position)) {
      throw pack.corrupt(`the entry at byte ${offset} does not have the CRC-32 that the index names`);
    }
  }

  private writeDeltaHeader(place: number, size: number): void {
    const { head, writer } = this;
    const length = writeEntryHeader(head, 0, EntryKind.ofsDelta, size);
    writer.write(
      head,
      0,
      writeBaseDistance(head, length, this.offsets[place]! - this.offsets[this.list.bases[place]!]!),
    );
  }
}
