import { applyDeltaPieces } from "./apply-delta-pieces.ts";
import { CheckedEntry } from "./checked-entry.ts";
import { inflatePieces } from "./inflate-pieces.ts";
import type { LargeReads } from "./large-reads.ts";
import { PackEntry, type PackFile } from "./pack-file.ts";
import { largestObjectBytes } from "./pack-limits.ts";
import { BytesInMemory, type PositionedBytes } from "./positioned-bytes.ts";
import { maxChain } from "./read-object.ts";
import { SpilledObject } from "./spilled-object.ts";

export interface PiecesWanted {
  /** first byte, and the one after the last; all of them unless given */
  readonly start?: number;
  readonly end?: number;
  /** Whether it is only looked at: then damage may be noticed too late. */
  readonly isHint?: boolean;
}

export interface PiecesSource {
  readonly reads: LargeReads;
  /** where files without a name are made */
  readonly directory: string;
}

/** Given while something is worked on: nothing is to be read yet, but others may have a turn. */
const nothingYet = new Uint8Array(0);

const entry = new PackEntry();

/**
 * The content of the entry at byte `offset`, or a part of it, for what is too large to be held: in pieces, each of which
 * is valid until the next is asked for. Some are empty, as nothing comes while the bases of a delta are made: at most two
 * are on the disk at a time, in files without a name, and they go when the last piece is taken or no more are wanted.
 * The pack has to stay open meanwhile.
 *
 * All that is read is compared with its CRC-32, a base before anything is built on it, and the entry itself before the
 * last piece is given: who has got all of them has the right ones, and of damage only a beginning is seen.
 * Throws CorruptPack, EngineBusy, StorageFull.
 */
export function* readPackedPieces(
  pack: PackFile,
  offset: number,
  { reads, directory }: PiecesSource,
  wanted: PiecesWanted,
): Generator<Uint8Array, void, void> {
  using _read = reads.begin();
  const chain = chainOf(pack, offset);
  const baseOffset = chain[1];
  if (baseOffset === undefined) {
    return yield* cut(open(pack, offset, null), wanted);
  }
  const name = `${pack.path} ${baseOffset}`;
  const base = yield* reads.take(name, () => makeBase(pack, chain, reads, directory));
  try {
    yield* cut(open(pack, offset, base), wanted);
  } finally {
    reads.release(name);
  }
}

/** The entry and those that it is built on, down to a whole one. */
function chainOf(pack: PackFile, offset: number): number[] {
  const chain: number[] = [];
  for (let at = offset; at >= 0; at = entry.baseOffset) {
    if (chain.length > maxChain) {
      throw pack.corrupt(`the delta at byte ${offset} has no end of bases`);
    }
    chain.push(at);
    pack.readHeader(at, entry);
  }
  return chain;
}

/** The second object of a chain, as a file. Those that it is built on are files, too, where they are large, one after the other. */
function* makeBase(
  pack: PackFile,
  chain: readonly number[],
  reads: LargeReads,
  directory: string,
): Generator<Uint8Array, SpilledObject, void> {
  let base: PositionedBytes | null = null;
  try {
    for (let index = chain.length - 1; index > 1; index--) {
      const opened = open(pack, chain[index]!, base);
      const next: PositionedBytes =
        opened.size > reads.fromBytes ? yield* spill(opened, directory) : new BytesInMemory(yield* collect(opened));
      close(base);
      base = next;
    }
    return yield* spill(open(pack, chain[1]!, base), directory);
  } finally {
    close(base);
  }
}

function close(base: PositionedBytes | null): void {
  if (base instanceof SpilledObject) {
    base[Symbol.dispose]();
  }
}

interface OpenedObject {
  readonly pack: PackFile;
  readonly offset: number;
  /** of the object, bytes */
  readonly size: number;
  readonly input: CheckedEntry;
  readonly pieces: Generator<Uint8Array, unknown, void>;
}

/** The object of an entry, built on `base` where it is a delta. */
function open(pack: PackFile, offset: number, base: PositionedBytes | null): OpenedObject {
  const size = pack.sizeOf(offset);
  if (size > largestObjectBytes) {
    throw pack.corrupt(`the delta at byte ${offset} cannot make ${size} bytes`);
  }
  pack.readHeader(offset, entry);
  const input = new CheckedEntry(pack, offset, entry.dataStart);
  const data = inflatePieces(input, entry.size);
  return { pack, offset, size, input, pieces: base === null ? data : applyDeltaPieces(base, data, size) };
}

function* spill(opened: OpenedObject, directory: string): Generator<Uint8Array, SpilledObject, void> {
  const spilled = SpilledObject.create(directory);
  let isWhole = false;
  try {
    yield* drain(opened, (piece) => spilled.append(piece));
    isWhole = true;
    return spilled;
  } finally {
    if (!isWhole) {
      spilled[Symbol.dispose]();
    }
  }
}

function* collect(opened: OpenedObject): Generator<Uint8Array, Uint8Array, void> {
  const bytes = new Uint8Array(opened.size);
  let filled = 0;
  yield* drain(opened, (piece) => {
    bytes.set(piece, filled);
    filled += piece.length;
  });
  return bytes;
}

/** Gives all of an object to `take`, and compares what it was read from. */
function* drain(
  { pack, offset, input, pieces }: OpenedObject,
  take: (piece: Uint8Array) => void,
): Generator<Uint8Array, void, void> {
  try {
    for (const piece of pieces) {
      take(piece);
      yield nothingYet;
    }
    while (!input.readOn()) {
      yield nothingYet;
    }
  } catch (error) {
    throw pack.asCorrupt(error, offset);
  } finally {
  }
}

/** The wanted part of an object, the last piece of it when all that was read has been compared. */
function* cut(
  { pack, offset, size, input, pieces }: OpenedObject,
  { start = 0, end: wantedEnd = size, isHint = false }: PiecesWanted,
): Generator<Uint8Array, void, void> {
  const end = Math.min(wantedEnd, size);
  let last = nothingYet;
  let at = 0;
  try {
    // Where the end is wanted, more is asked for behind it: an object that is longer than it says is damaged.
    const until = end === size && !isHint ? Number.POSITIVE_INFINITY : end;
    while (at < until) {
      const { done, value } = pieces.next();
      if (done === true) {
        break;
      }
      const piece = value.subarray(Math.max(0, start - at), Math.max(0, end - at));
      at += value.length;
      if (at < end || isHint) {
        yield piece;
      } else {
        last = piece.slice();
      }
    }
    if (!isHint) {
      while (!input.readOn()) {
        yield nothingYet;
      }
    }
    if (last.length > 0) {
      yield last;
    }
  } catch (error) {
    throw pack.asCorrupt(error, offset);
  } finally {
    pieces.return(undefined);
  }
}
