import { applyDeltaPieces } from "./apply-delta-pieces.ts";
import { FileRange, inflatePieces } from "./inflate-pieces.ts";
import { PackEntry, type PackFile } from "./pack-file.ts";
import { SpilledObject } from "./spilled-object.ts";

/** As in read-object. */
const maxChain = 10_000;
/** Given while something is worked on: nothing is to be read yet, but others may have a turn. */
const nothingYet = new Uint8Array(0);

/**
 * The content of the entry at byte `offset`, for what is too large to be held: in pieces, each of which is valid until the
 * next is asked for. Some are empty, as nothing comes while the bases of a delta are made: at most two are on the disk at a time,
 * in files without a name on the file system of `directory`, and they go when the last piece is taken or no more are
 * wanted. The pack has to stay open meanwhile. Throws CorruptPack, StorageFull.
 */
export function* readPackedPieces(pack: PackFile, offset: number, directory: string): Generator<Uint8Array, void, void> {
  const deltas: PackEntry[] = [];
  let entry = readEntry(pack, offset);
  for (; entry.baseOffset >= 0; entry = readEntry(pack, entry.baseOffset)) {
    if (deltas.length === maxChain) {
      throw pack.corrupt(`the delta at byte ${offset} has no end of bases`);
    }
    deltas.push(entry);
  }
  try {
    let pieces = dataOf(pack, entry);
    using stack = new DisposableStack();
    let base: SpilledObject | null = null;
    for (let delta = deltas.pop(); delta !== undefined; delta = deltas.pop()) {
      const made = stack.use(SpilledObject.create(directory));
      for (const piece of pieces) {
        made.append(piece);
        yield nothingYet;
      }
      base?.[Symbol.dispose]();
      base = made;
      entry = delta;
      pieces = applyDeltaPieces(made, dataOf(pack, delta), pack.sizeOf(delta.offset));
    }
    yield* pieces;
  } catch (error) {
    throw pack.asCorrupt(error, entry.offset);
  }
}

function readEntry(pack: PackFile, offset: number): PackEntry {
  const entry = new PackEntry();
  pack.readHeader(offset, entry);
  return entry;
}

function dataOf(pack: PackFile, { offset, dataStart, size }: PackEntry): Generator<Uint8Array, unknown, void> {
  return inflatePieces(new FileRange(pack.descriptor, pack.path, dataStart, pack.order.endOf(offset)), size);
}
