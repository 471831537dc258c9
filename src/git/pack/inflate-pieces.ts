import zlib from "node:zlib";
import { CorruptEntry } from "./errors.ts";
import { openHandle, type ZlibHandle } from "./handle-inflater.ts";
import { wrongSize } from "./stream-inflater.ts";
import { readExactly } from "./window-cache.ts";

/** The size of the pieces in which large objects are read, inflated and written: 128 KB. */
export const pieceBytes = 128 * 1024;

/** Compressed bytes, a piece at a time. */
export interface CompressedInput {
  /** The next bytes, valid until the next call; null when there are none left that the stream could have. */
  next(): Uint8Array | null;
}

/** The bytes `[from, to)` of an open file. Throws CorruptPack where they cannot be read. */
export class FileRange implements CompressedInput {
  readonly #buffer: Uint8Array;

  constructor(
    private readonly descriptor: number,
    private readonly path: string,
    private from: number,
    private readonly to: number,
  ) {
    this.#buffer = new Uint8Array(Math.max(0, Math.min(pieceBytes, to - from)));
  }

  next(): Uint8Array | null {
    const length = Math.min(this.#buffer.length, this.to - this.from);
    if (length <= 0) {
      return null;
    }
    const bytes = this.#buffer.subarray(0, length);
    readExactly(this.descriptor, this.path, bytes, this.from);
    this.from += length;
    return bytes;
  }
}

/** Streams that were read to their end leave their handle to the next. */
const spare: PieceHandle[] = [];
const maxSpare = 4;

/**
 * Inflates a zlib stream of exactly `size` bytes without ever holding more than a piece of it. Every piece but the last
 * has `pieceBytes`; it is valid until the next is asked for. Returns how many bytes of the last input were not the
 * stream's. Throws CorruptEntry: for a stream that has another size, when more than that or its end has come.
 */
export function* inflatePieces(input: CompressedInput, size: number): Generator<Uint8Array, number, void> {
  const handle = spare.pop() ?? new PieceHandle();
  // One byte more than the object, by which a stream that is too long is noticed.
  const piece = new Uint8Array(Math.min(pieceBytes, size + 1));
  let filled = 0;
  let made = 0;
  let isEnded = false;
  let left = 0;
  while (!isEnded) {
    const source = input.next();
    if (source === null) {
      handle.checkEnd();
      break;
    }
    left = source.length;
    do {
      const room = piece.length - filled;
      const rest = handle.write(source, source.length - left, left, piece, filled);
      const added = room - handle.room;
      // Whatever is left although there was room for more is behind the end.
      isEnded = rest > 0 && handle.room > 0;
      left = rest;
      filled += added;
      made += added;
      if (made > size) {
        throw wrongSize(size);
      }
      if (filled === piece.length) {
        yield piece;
        filled = 0;
      }
    } while (!isEnded && (left > 0 || handle.room === 0));
  }
  if (made !== size) {
    throw wrongSize(size);
  }
  if (filled > 0) {
    yield piece.subarray(0, filled);
  }
  if (spare.length < maxSpare) {
    handle.reset();
    spare.push(handle);
  }
  return left;
}

/** One native handle, as in handle-inflater, which is written to several times. */
class PieceHandle {
  /** After `write`, how much of the target is free. */
  room = 0;
  readonly #handle: ZlibHandle;
  readonly #state: Uint32Array;
  #failure: string | null = null;

  constructor() {
    const { handle, state } = openHandle(zlib.createInflate(), (code) => (this.#failure = code));
    this.#handle = handle;
    this.#state = state;
  }

  /** Inflates `source[from..from + length)` to `target[at..]` as far as there is room. Returns how much of the source is left. */
  write(source: Uint8Array, from: number, length: number, target: Uint8Array, at: number): number {
    this.#write(zlib.constants.Z_NO_FLUSH, source, from, length, target, at);
    this.room = this.#state[0]!;
    return this.#state[1]!;
  }

  /** Throws CorruptEntry unless all of the stream was written. */
  checkEnd(): void {
    this.#write(zlib.constants.Z_FINISH, nothing, 0, 0, new Uint8Array(1), 0);
  }

  reset(): void {
    this.#handle.reset();
  }

  #write(flush: number, source: Uint8Array, from: number, length: number, target: Uint8Array, at: number): void {
    this.#handle.writeSync(flush, source, from, length, target, at, target.length - at);
    if (this.#failure !== null) {
      throw new CorruptEntry(`Cannot inflate an entry: ${this.#failure}`, this.#failure === "Z_BUF_ERROR");
    }
  }
}

const nothing = new Uint8Array(0);
