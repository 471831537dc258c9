import { releaseBytes } from "../../lib/release-bytes.ts";
import type { Hasher, ObjectFormat } from "../objects/object-format.ts";
import { CorruptEntry, PackRejected } from "../pack/errors.ts";
import type { IndexBuffers } from "../pack/index-buffers.ts";
import { inflatePieces } from "../pack/inflate-pieces.ts";
import { inflateInto, inflateSpareBytes } from "../pack/inflate.ts";
import { EntryHeader, likelyCompressedBytes, maxHeaderBytes, parseEntryHeader } from "../pack/pack-entry.ts";
import { readExactly } from "../pack/window-cache.ts";

const bufferBytes = 1024 * 1024;
/** An entry of no more bytes than this may have any size: a stream can be padded with empty blocks, and a few are harmless. */
const paddedEntryBytes = 16 * 1024 * 1024;

/**
 * Reads a received pack file from its start to its checksum, once, hashing what it reads. Only a part of it is in
 * memory: normally 1 MB, more while a larger entry is read, and never much more than twice what is inflated from it.
 */
export class PackInput {
  /** The entry's header, after `readHeader`. */
  readonly header = new EntryHeader();
  readonly version: number;
  readonly objectCount: number;
  private buffer: Uint8Array<ArrayBuffer>;
  /** Where in the file the buffer starts, how much of it is filled, and how much of that is read. */
  private start = 0;
  private filled = 0;
  private at = 0;
  /** Where in the buffer the current entry starts. */
  private entryAt = 0;
  /** The CRC-32 of an entry that was read in pieces, of which the buffer has no more than the end. */
  private crc: number | null = null;
  private readonly hasher: Hasher;
  private readonly entriesEnd: number;

  constructor(
    private readonly format: ObjectFormat,
    private readonly descriptor: number,
    private readonly path: string,
    fileBytes: number,
    buffers: IndexBuffers,
  ) {
    this.buffer = buffers.take("input", bufferBytes);
    this.hasher = format.hasher();
    this.entriesEnd = fileBytes - format.oidBytes;
    if (this.entriesEnd < 12) {
      throw new PackRejected("truncated", `Cannot accept the pack: ${fileBytes} bytes are less than an empty one has`);
    }
    this.fill(12);
    const view = new DataView(this.buffer.buffer);
    if (view.getUint32(0) !== 0x5041434b) {
      throw new PackRejected("malformed", "Cannot accept the pack: it does not start as one");
    }
    this.version = view.getUint32(4);
    if (this.version !== 2 && this.version !== 3) {
      throw new PackRejected("malformed", `Cannot accept the pack: its version is ${this.version}`);
    }
    this.objectCount = view.getUint32(8);
    this.at = 12;
  }

  /** Where in the file the next byte to read stands. */
  get offset(): number {
    return this.start + this.at;
  }

  /** Reads the header of the next entry. For REF_DELTA the base's oid is at `oidBytes[header.baseOidAt]`. */
  readHeader(): void {
    this.entryAt = this.at;
    this.crc = null;
    this.fill(maxHeaderBytes);
    try {
      parseEntryHeader(this.buffer, this.at, this.filled, this.format.oidBytes, this.header);
    } catch (error) {
      throw this.rejection(error, this.offset);
    }
    this.at += this.header.headerBytes;
  }

  /** The bytes that `header.baseOidAt` is a place in; valid until the entry's data is read. */
  get headerBytes(): Uint8Array {
    return this.buffer;
  }

  /**
   * Inflates the data of the entry whose header was read. The target needs
   * `inflateSpareBytes` more, which are undefined then. An entry that takes
   * more bytes than any sensible deflate needs twice over is refused, so that nobody buffers padding.
   */
  inflate(target: Uint8Array, at: number): void {
    const { size } = this.header;
    const offset = this.offset - this.header.headerBytes;
    const likely = likelyCompressedBytes(size);
    const most = maxCompressedBytes(size);
    for (let want = Math.min(likely, bufferBytes); ; want = Math.min(want * 4, most)) {
      const complete = this.fill(want);
      try {
        this.at += inflateInto(this.buffer, this.at, this.filled, target, at, size, inflateSpareBytes);
        return;
      } catch (error) {
        if (!(error instanceof CorruptEntry) || !error.inputEnded || complete) {
          throw this.rejection(error, offset);
        }
      }
      if (want === most) {
        throw paddedEntry(offset, most, size);
      }
    }
  }

  /**
   * Does what `inflate` does, a piece at a time: to be taken to the end before anything else is read. `step` is called for
   * each megabyte of the file and may throw.
   */
  *inflatePieces(step: () => void): Generator<Uint8Array, void> {
    const { size } = this.header;
    const offset = this.offset - this.header.headerBytes;
    const most = maxCompressedBytes(size);
    let crc = Bun.hash.crc32(this.buffer.subarray(this.entryAt, this.at));
    let given = this.at;
    const take = (to: number): void => {
      crc = Bun.hash.crc32(this.buffer.subarray(this.at, to), crc);
      this.at = to;
    };
    const next = (): Uint8Array | null => {
      take(given);
      step();
      if (this.offset - offset > most) {
        throw paddedEntry(offset, most, size);
      }
      this.entryAt = this.at;
      this.fill(1);
      given = this.filled;
      return this.at === given ? null : this.buffer.subarray(this.at, given);
    };
    try {
      const left = yield* inflatePieces({ next }, size);
      take(this.filled - left);
    } catch (error) {
      throw this.rejection(error, offset);
    }
    this.crc = crc;
  }

  /** The CRC-32 of the entry that was just read, as it is in the file. */
  entryCrc(): number {
    return this.crc ?? Bun.hash.crc32(this.buffer.subarray(this.entryAt, this.at));
  }

  /** After the last entry: that nothing is left but the checksum, and that it is right. Returns it. */
  finish(): Uint8Array {
    if (this.offset !== this.entriesEnd) {
      throw new PackRejected(
        "trailing-bytes",
        `Cannot accept the pack: ${this.entriesEnd - this.offset} bytes follow its ${this.objectCount} objects`,
      );
    }
    const checksum = new Uint8Array(this.format.oidBytes);
    readExactly(this.descriptor, this.path, checksum, this.entriesEnd);
    if (Buffer.compare(this.hasher.digest(), checksum) !== 0) {
      throw new PackRejected("checksum", "Cannot accept the pack: its checksum does not match its content");
    }
    return checksum;
  }

  /**
   * Makes at least `want` unread bytes available, or all that are left; what belongs to the current entry stays.
   * Returns whether everything up to the checksum is in the buffer.
   */
  private fill(want: number): boolean {
    const end = this.start + this.filled;
    if (this.filled - this.at >= want || end === this.entriesEnd) {
      return end === this.entriesEnd;
    }
    const kept = this.filled - this.entryAt;
    const needed = Math.min(this.at - this.entryAt + want, this.entriesEnd - this.start - this.entryAt);
    const length = Math.max(needed, bufferBytes);
    if (length > this.buffer.length || (this.buffer.length > bufferBytes && length === bufferBytes)) {
      if (this.buffer.length > bufferBytes) {
        // Not held beside the next one, which for a large object is half as much memory again: what is needed is read again.
        releaseBytes(this.buffer);
        this.buffer = new Uint8Array(length);
        readExactly(this.descriptor, this.path, this.buffer.subarray(0, kept), this.start + this.entryAt);
      } else {
        const buffer = new Uint8Array(length);
        buffer.set(this.buffer.subarray(this.entryAt, this.filled));
        this.buffer = buffer;
      }
    } else {
      this.buffer.copyWithin(0, this.entryAt, this.filled);
    }
    this.start += this.entryAt;
    this.at -= this.entryAt;
    this.entryAt = 0;
    this.filled = Math.min(this.buffer.length, this.entriesEnd - this.start);
    const added = this.buffer.subarray(kept, this.filled);
    readExactly(this.descriptor, this.path, added, this.start + kept);
    this.hasher.update(added);
    return this.start + this.filled === this.entriesEnd;
  }

  private rejection(error: unknown, offset: number): unknown {
    if (!(error instanceof CorruptEntry)) {
      return error;
    }
    return error.inputEnded
      ? new PackRejected("truncated", `Cannot accept the pack: the entry at byte ${offset} is cut off`, undefined, {
          cause: error,
        })
      : new PackRejected("malformed", `Cannot accept the pack: the entry at byte ${offset} is damaged`, undefined, {
          cause: error,
        });
  }
}

/** The most compressed bytes that an entry may take. */
function maxCompressedBytes(size: number): number {
  return Math.max(2 * likelyCompressedBytes(size), paddedEntryBytes);
}

function paddedEntry(offset: number, most: number, size: number): PackRejected {
  return new PackRejected(
    "too-large",
    `Cannot accept the pack: the entry at byte ${offset} takes more than ${most} bytes for an object of ${size}`,
  );
}
