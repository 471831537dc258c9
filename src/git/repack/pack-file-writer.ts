import { closeSync, fsyncSync, openSync } from "node:fs";
import type { Hasher, ObjectFormat } from "../objects/object-format.ts";
import { bytesToHex } from "../objects/oid.ts";
import { EntryTable } from "../pack/entry-table.ts";
import type { IndexedPack } from "../pack/indexed-pack.ts";
import { writeFully, writeSynced } from "../pack/pack-output.ts";
import { sortByOid, writePackIndex } from "../pack/write-pack-index.ts";
import { indexPathOf } from "../pack/pack-paths.ts";

const bufferBytes = 1024 * 1024;

/**
 * Writes a new pack to a file, entry by entry in any number of pieces, and its index beside it. Memory: 1 MB and some
 * 60 bytes an entry. Disposing closes the file; removing it is the caller's.
 */
export class PackFileWriter implements Disposable {
  private readonly descriptor: number;
  private readonly hasher: Hasher;
  private readonly table: EntryTable;
  private readonly buffer = new Uint8Array(bufferBytes);
  private buffered = 0;
  private flushed = 0;
  private crc = 0;

  /** `path`: a temporary name that ends in `.pack` and is not in use. `count`: how many entries will follow. */
  constructor(
    private readonly format: ObjectFormat,
    private readonly path: string,
    private readonly count: number,
  ) {
    this.table = new EntryTable(count, format.oidBytes);
    this.hasher = format.hasher();
    this.descriptor = openSync(path, "wx", 0o600);
    const head = Buffer.from("PACK\0\0\0\u0002\0\0\0\0", "latin1");
    head.writeUInt32BE(count, 8);
    this.write(head);
  }

  /** Where the next byte goes. */
  get offset(): number {
    return this.flushed + this.buffered;
  }

  /** Begins an entry with the object of this oid; what is written until the next one is its header and data. */
  begin(oid: Uint8Array): void {
    this.end();
    const entry = this.table.add();
    this.table.oids.set(oid, entry * this.format.oidBytes);
    this.table.offsets[entry] = this.offset;
    this.crc = 0;
  }

  write(bytes: Uint8Array, from = 0, to: number = bytes.length): void {
    const piece = from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to);
    this.crc = Bun.hash.crc32(piece, this.crc);
    if (piece.length > bufferBytes - this.buffered) {
      this.flush();
    }
    if (piece.length > bufferBytes) {
      this.hasher.update(piece);
      writeFully(this.descriptor, piece, this.flushed);
      this.flushed += piece.length;
    } else {
      this.buffer.set(piece, this.buffered);
      this.buffered += piece.length;
    }
  }

  /** Completes pack and index, both fsynced. */
  finish(): IndexedPack {
    this.end();
    if (this.table.count !== this.count) {
      throw new Error(`The pack has ${this.table.count} entries instead of ${this.count}`);
    }
    this.flush();
    const checksum = this.hasher.digest();
    writeFully(this.descriptor, checksum, this.flushed);
    fsyncSync(this.descriptor);
    const indexPath = indexPathOf(this.path);
    writeSynced(indexPath, writePackIndex(this.table, sortByOid(this.table), checksum, this.format));
    return {
      checksum: bytesToHex(checksum, 0, checksum.length),
      packPath: this.path,
      indexPath,
      objectCount: this.count,
      packBytes: this.flushed + checksum.length,
    };
  }

  [Symbol.dispose](): void {
    closeSync(this.descriptor);
  }

  private end(): void {
    const { table } = this;
    if (table.count > 0) {
      table.crcs[table.count - 1] = this.crc;
      table.offsets[table.count] = this.offset;
    }
  }

  private flush(): void {
    const piece = this.buffer.subarray(0, this.buffered);
    this.hasher.update(piece);
    writeFully(this.descriptor, piece, this.flushed);
    this.flushed += this.buffered;
    this.buffered = 0;
  }
}
