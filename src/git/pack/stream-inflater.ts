import zlib from "node:zlib";
import { messageOf } from "../../lib/errors.ts";
import { CorruptEntry } from "./errors.ts";

/** Inflates zlib streams whose inflated size is known and whose compressed size is not, as in a pack. */
export interface Inflater {
  /** See inflateInto. */
  into(
    source: Uint8Array,
    from: number,
    to: number,
    target: Uint8Array,
    at: number,
    size: number,
    spare: number,
  ): number;
  /** See inflateStart. */
  start(source: Uint8Array, from: number, to: number, target: Uint8Array, size: number): void;
}

/** With documented functions only: a stream object for each entry, so several times slower than the other. */
export const streamInflater: Inflater = {
  into(source, from, to, target, at, size) {
    let result: { buffer: Uint8Array; engine: { bytesWritten: number } };
    try {
      // `info` is documented, but the types know only the form that returns the buffer.
      result = zlib.inflateSync(source.subarray(from, to), {
        info: true,
        maxOutputLength: size + 1,
      }) as unknown as typeof result;
    } catch (error) {
      throw new CorruptEntry(`Cannot inflate an entry: ${messageOf(error)}`, isInputEnd(error));
    }
    if (result.buffer.length !== size) {
      throw wrongSize(size);
    }
    target.set(result.buffer, at);
    return result.engine.bytesWritten;
  },

  start(source, from, to, target, size) {
    let start: Uint8Array;
    try {
      start = zlib
        .inflateSync(source.subarray(from, to), { finishFlush: zlib.constants.Z_SYNC_FLUSH })
        .subarray(0, size);
    } catch (error) {
      throw new CorruptEntry(`Cannot inflate an entry: ${messageOf(error)}`, isInputEnd(error));
    }
    target.set(start);
    if (start.length < size) {
      throw shortStart();
    }
  },
};

export function wrongSize(size: number): CorruptEntry {
  return new CorruptEntry(`Cannot inflate an entry: it does not have the ${size} bytes that its header names`);
}

export function shortStart(): CorruptEntry {
  return new CorruptEntry("Cannot inflate the start of an entry: it is shorter", true);
}

function isInputEnd(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "Z_BUF_ERROR";
}
