import zlib from "node:zlib";
import type { DeflateLevel } from "./deflate.ts";
import { openHandle } from "./handle-inflater.ts";
import { pieceBytes } from "./inflate-pieces.ts";

const { Z_FINISH, Z_NO_FLUSH } = zlib.constants;
const nothing = new Uint8Array(0);

/**
 * A zlib stream of what comes in pieces, for what is too large to be held: in pieces, each of which is valid until the next is
 * asked for. Some are empty, for others to have their turn. `level` as in `deflate`, which is faster.
 */
export function* deflatePieces(
  pieces: Iterable<Uint8Array>,
  level: DeflateLevel = 6,
): Generator<Uint8Array, void, void> {
  const target = new Uint8Array(pieceBytes);
  let filled = 0;
  const { handle, state } = openHandle(zlib.createDeflate({ level }), (code) => {
    throw new Error(`Cannot deflate: ${code}`);
  });
  function* write(flush: number, source: Uint8Array): Generator<Uint8Array, void, void> {
    let left = source.length;
    let isFull: boolean;
    do {
      handle.writeSync(flush, source, source.length - left, left, target, filled, target.length - filled);
      filled = target.length - state[0]!;
      left = state[1]!;
      // All the room was taken: there may be more.
      isFull = filled === target.length;
      if (isFull) {
        yield target;
        filled = 0;
      }
    } while (isFull);
  }
  for (const piece of pieces) {
    yield* write(Z_NO_FLUSH, piece);
    yield nothing;
  }
  yield* write(Z_FINISH, nothing);
  if (filled > 0) {
    yield target.subarray(0, filled);
  }
}
