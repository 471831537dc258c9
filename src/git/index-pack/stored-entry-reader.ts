import type { EntryTable } from "../pack/entry-table.ts";
import { releaseBytes } from "../../lib/release-bytes.ts";
import { FileRange, inflatePieces } from "../pack/inflate-pieces.ts";
import { inflateInto, inflateSpareBytes } from "../pack/inflate.ts";
import { readExactly } from "../pack/window-cache.ts";

const smallestBytes = 64 * 1024;
const keptBytes = 16 * 1024 * 1024;

/** Reads the data of entries that the indexer has passed already again from the file, into a buffer of its own. */
export class StoredEntryReader {
  private input = new Uint8Array(0);
  private output = new Uint8Array(0);

  constructor(
    private readonly table: EntryTable,
    private readonly descriptor: number,
    private readonly path: string,
  ) {}

  /** The inflated data, `dataSizes[entry]` bytes and more behind them; valid until the next call. */
  inflate(entry: number): Uint8Array {
    const { table } = this;
    const size = table.dataSizes[entry]!;
    const from = table.offsets[entry]! + table.headerBytes[entry]!;
    const length = table.offsets[entry + 1]! - from;
    this.input = withRoom(this.input, length);
    const input = this.input.subarray(0, length);
    readExactly(this.descriptor, this.path, input, from);
    this.output = withRoom(this.output, size + inflateSpareBytes);
    inflateInto(input, 0, length, this.output, 0, size, inflateSpareBytes);
    return this.output;
  }

  /** The inflated data in pieces, which have buffers of their own. */
  inflatePieces(entry: number): Iterable<Uint8Array> {
    const { table } = this;
    const from = table.offsets[entry]! + table.headerBytes[entry]!;
    return inflatePieces(
      new FileRange(this.descriptor, this.path, from, table.offsets[entry + 1]!),
      table.dataSizes[entry]!,
    );
  }
}

/** A buffer of at least `size` bytes; one that became large is given back when little is needed. */
function withRoom(buffer: Uint8Array<ArrayBuffer>, size: number): Uint8Array<ArrayBuffer> {
  if (buffer.length >= size && buffer.length <= Math.max(keptBytes, size * 2)) {
    return buffer;
  }
  releaseBytes(buffer);
  return new Uint8Array(Math.max(size + (size >> 1), smallestBytes));
}
