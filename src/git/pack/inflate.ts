import { makeHandleInflater } from "./handle-inflater.ts";
import { streamInflater } from "./stream-inflater.ts";

const inflater = makeHandleInflater() ?? streamInflater;

/**
 * Room behind an object that makes inflating it faster: zlib decodes quickly only while a longest match and a few bytes
 * more would still fit, which is a third of the time for objects of a few hundred bytes.
 */
export const inflateSpareBytes = 320;

/**
 * Inflates the zlib stream in `source[from..to)` to exactly `size` bytes at `target[at]` and returns how many input bytes
 * it took. The target has room for `spare` bytes behind them, at least one, by which a stream that is too long is noticed;
 * what is in there afterwards is undefined. Throws CorruptEntry; what is in the target then is undefined.
 */
export function inflateInto(
  source: Uint8Array,
  from: number,
  to: number,
  target: Uint8Array,
  at: number,
  size: number,
  spare: number,
): number {
  if (spare < 1 || at + size + spare > target.length) {
    throw new RangeError(`Cannot inflate ${size} bytes and ${spare} to spare into ${target.length - at}`);
  }
  return inflater.into(source, from, to, target, at, size, spare);
}

/**
 * Inflates only the first `size` bytes of a stream; what follows is not looked at. Throws CorruptEntry if the input does
 * not hold that many: the tables at the start of a block can take some 600 bytes before the first byte comes out.
 */
export function inflateStart(source: Uint8Array, from: number, to: number, target: Uint8Array, size: number): void {
  inflater.start(source, from, to, target, size);
}
