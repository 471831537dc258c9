import { SpareBuffers } from "../../lib/spare-buffers.ts";
import { copyBytes } from "../../lib/copy-bytes.ts";
import type { Hasher, ObjectFormat } from "../objects/object-format.ts";
import type { CopiedBytes } from "../pack/copy-check.ts";
import type { PackFile } from "../pack/pack-file.ts";
import { readExactly } from "../pack/window-cache.ts";
import { putPacketLength } from "../wire/pkt-line.ts";
import { Sideband, type SidebandSize } from "../wire/sideband.ts";

/** Told where the bytes of a pack come from. */
interface PackNotes {
  /** The next bytes are those of a stored pack; `take` is told what they are. */
  copied(pack: PackFile, from: number, to: number): void;
  take(bytes: Uint8Array, from: number, to: number): void;
  wrote(bytes: Uint8Array, from: number, to: number): void;
}

const nothing = new Uint8Array(0);
const none: readonly Uint8Array<ArrayBuffer>[] = [];

/** For all outputs of the thread: pieces have many sizes, and each would be new memory to clear and to collect. */
const spareBuffers = new SpareBuffers(8 * 1024 * 1024);

/**
 * Where a pack is written to: it hashes the bytes, puts them in sideband packets (or leaves them plain) and hands them
 * out in chunks that end at the end of a packet. `pieceBytes` is asked when one is begun how large it may be.
 */
export class PackOutput implements Disposable {
  readonly #header: number;
  readonly #sideband: SidebandSize;
  readonly #pieceBytes: () => number;
  #packet = 0;
  #capacity = 0;
  readonly #hasher: Hasher | null;
  #buffer = nothing;
  /** where the payload of the current packet starts in the buffer */
  #start: number;
  #at: number;
  #done: Uint8Array<ArrayBuffer>[] = [];
  #taken: readonly Uint8Array<ArrayBuffer>[] = [];
  #closed = 0;
  /** told of what is being copied */
  #check: CopiedBytes | null = null;
  readonly #put = (bytes: Uint8Array, from: number, to: number): void => {
    this.#check?.take(bytes, from, to);
    this.notes?.take(bytes, from, to);
    this.put(bytes, from, to);
  };

  /** format: null when the checksum at the end is among what is written */
  constructor(
    format: ObjectFormat | null,
    sideband: SidebandSize,
    pieceBytes: () => number,
    private readonly notes: PackNotes | null = null,
  ) {
    this.#hasher = format?.hasher() ?? null;
    this.#header = sideband === 0 ? 0 : 5;
    this.#sideband = sideband;
    this.#pieceBytes = pieceBytes;
    this.begin();
    this.#start = this.#header;
    this.#at = this.#header;
  }

  /** bytes of the pack written so far */
  get written(): number {
    return this.#closed + this.#at - this.#start;
  }

  write(bytes: Uint8Array, from = 0, to: number = bytes.length): void {
    this.notes?.wrote(bytes, from, to);
    this.put(bytes, from, to);
  }

  /** Writes bytes of a stored pack, and tells `check` what they are, which may refuse them. Throws CorruptPack. */
  copy(pack: PackFile, from: number, to: number, check: CopiedBytes): void {
    this.notes?.copied(pack, from, to);
    this.#check = check;
    pack.forEachChunk(from, to, this.#put);
  }

  /** Copies past the windows of packs, for long parts of which nothing else is needed. Throws CorruptPack. */
  copyDirectly(pack: PackFile, from: number, to: number, check: CopiedBytes): void {
    for (let read = from; read < to;) {
      const end = Math.min(to, read + this.room);
      readExactly(pack.descriptor, pack.path, this.#buffer.subarray(this.#at, this.#at + end - read), read);
      check.take(this.#buffer, this.#at, this.#at + end - read);
      this.wrote(end - read);
      read = end;
    }
  }

  private put(bytes: Uint8Array, from: number, to: number): void {
    let read = from;
    while (read < to) {
      const end = Math.min(to, read + this.room);
      if (end - read < 64) {
        // A call costs more than copying a few bytes.
        const buffer = this.#buffer;
        let write = this.#at;
        for (let index = read; index < end; index++) {
          buffer[write++] = bytes[index]!;
        }
      } else {
        copyBytes(bytes, read, end, this.#buffer, this.#at);
      }
      this.wrote(end - read);
      read = end;
    }
  }

  /** Whether there is something to take. */
  get isFull(): boolean {
    return this.#done.length > 0;
  }

  /** The chunks that are full. Those that were taken before are gone. */
  take(): readonly Uint8Array[] {
    const done = this.#done;
    this.#taken.forEach(({ buffer }) => spareBuffers.put(buffer));
    if (done.length === 0) {
      // Not the list itself: what is put into it from here on has not been taken.
      this.#taken = none;
      return none;
    }
    this.#taken = done;
    this.#done = [];
    return done;
  }

  /** Writes the checksum that ends a pack and hands out the last chunks. */
  finish(): readonly Uint8Array[] {
    if (this.#hasher === null) {
      this.finishPlain();
      this.#buffer = nothing;
      return this.take();
    }
    this.#hasher.update(this.#buffer.subarray(this.#start, this.#at));
    const checksum = this.#hasher.digest();
    this.notes?.wrote(checksum, 0, checksum.length);
    const first = checksum.subarray(0, this.room);
    this.#buffer.set(first, this.#at);
    this.#at += first.length;
    this.seal();
    this.#done.push(this.#buffer.subarray(0, this.#at));
    if (first.length < checksum.length) {
      const rest = checksum.subarray(first.length);
      this.#buffer = new Uint8Array(spareBuffers.take(this.#header + rest.length), 0, this.#header + rest.length);
      this.#buffer.set(rest, this.#header);
      this.#start = this.#header;
      this.#at = this.#buffer.length;
      this.seal();
      this.#done.push(this.#buffer);
    }
    this.#buffer = nothing;
    return this.take();
  }

  /** Gives its memory to other outputs: what was taken is gone. */
  [Symbol.dispose](): void {
    for (const { buffer } of [...this.#taken, ...this.#done, this.#buffer]) {
      if (buffer !== nothing.buffer) {
        spareBuffers.put(buffer);
      }
    }
    this.#taken = none;
    this.#done = [];
    this.#buffer = nothing;
  }

  /** Hands out the last packet, unless nothing is in it. */
  private finishPlain(): void {
    if (this.#at > this.#start) {
      this.seal();
      this.#done.push(this.#buffer.subarray(0, this.#at));
    } else if (this.#start > this.#header) {
      this.#done.push(this.#buffer.subarray(0, this.#start - this.#header));
    }
  }

  /** what the current packet can still take */
  private get room(): number {
    return this.#start - this.#header + this.#packet - this.#at;
  }

  private wrote(bytes: number): void {
    this.#at += bytes;
    if (this.room === 0) {
      this.close();
    }
  }

  private close(): void {
    this.#hasher?.update(this.#buffer.subarray(this.#start, this.#at));
    this.#closed += this.#at - this.#start;
    this.seal();
    if (this.#at === this.#capacity) {
      this.#done.push(this.#buffer);
      this.begin();
      this.#at = 0;
    }
    this.#start = this.#at + this.#header;
    this.#at = this.#start;
  }

  private begin(): void {
    const piece = this.#pieceBytes();
    this.#packet = this.#sideband === 0 ? piece : Math.min(this.#sideband, piece);
    this.#capacity = this.#packet * Math.floor(piece / this.#packet);
    this.#buffer = new Uint8Array(spareBuffers.take(this.#capacity), 0, this.#capacity);
  }

  /** Writes the header of the current packet, whose payload ends at `#at`. */
  private seal(): void {
    if (this.#header > 0) {
      putPacketLength(this.#buffer, this.#start - this.#header, this.#at - this.#start + this.#header);
      this.#buffer[this.#start - 1] = Sideband.data;
    }
  }
}
