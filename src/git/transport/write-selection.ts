import type { Selection } from "../graph/select-objects.ts";
import type { ObjectDatabase } from "../odb/object-database.ts";
import type { SidebandSize } from "../wire/sideband.ts";
import { CopyCheck } from "../pack/copy-check.ts";
import { PackOutput } from "./pack-output.ts";
import type { RecipeNotes } from "./pack-recipe.ts";
import { PackRuns } from "./pack-runs.ts";
import { hasAny } from "./selected-places.ts";
import { SelectionWriter, type PackPart } from "./selection-writer.ts";
import type { OffsetMemory } from "./written-offsets.ts";

/** For others to have their turn while nothing is ready. */
const nothingYet = [new Uint8Array(0)];

export interface PackWriting {
  readonly sideband: SidebandSize;
  /** how large a chunk may be, asked when each is begun */
  readonly pieceBytes: () => number;
  /** whether the client understands bases given by distance; else they are given by oid */
  readonly ofsDelta: boolean;
  /** whether a delta's base may be an object of `selection.known` that is not sent */
  readonly thin: boolean;
  /** where it is noted what is written; that of the thread unless given */
  readonly offsets?: OffsetMemory;
  /** where it is noted what the pack consists of */
  readonly notes?: RecipeNotes | null;
  /** told, before each chunk, how many objects it and those before it hold, or a few more */
  readonly onWritten?: (objects: number) => void;
}

/**
 * Writes a pack of the selected objects out of any number of packs (see SelectionWriter).
 * Yields chunks of sideband packets (or plain bytes), complete with the pack's checksum, without a last flush.
 */
export function* writeSelection(db: ObjectDatabase, selection: Selection, options: PackWriting): Generator<Uint8Array> {
  using out = new PackOutput(db.format, options.sideband, options.pieceBytes, options.notes);
  const head = new Uint8Array(12);
  new DataView(head.buffer).setUint32(0, 0x5041434b);
  new DataView(head.buffer).setUint32(4, 2);
  new DataView(head.buffer).setUint32(8, selection.count);
  out.write(head);
  using writer = new SelectionWriter(db, selection, options, out, options.offsets);
  for (let number = 0; number < db.packs.length; number++) {
    // In the order of the file, where bases mostly stand before their deltas.
    if (!hasAny(selection, db.startOf(number), db.packs[number]!.entryCount)) {
      continue;
    }
    yield* writeFromPack(writer, number, { db, selection, out, ...options });
  }
  yield* out.finish();
}

interface Writing extends PackWriting {
  readonly db: ObjectDatabase;
  readonly selection: Selection;
  readonly out: PackOutput;
}

/** Writes the selected objects of one pack. Adjacent entries that stay unchanged are copied together. */
function* writeFromPack(writer: SelectionWriter, number: number, writing: Writing): Generator<Uint8Array> {
  const { db, selection, out, pieceBytes } = writing;
  const runs = new PackRuns(writer, db.packs[number]!, db.startOf(number), { selection, out, pieceBytes });
  for (let part = runs.next(); part !== null; part = runs.next()) {
    writing.onWritten?.(writer.written);
    yield* out.take();
    if ("position" in part && part.copy === null) {
      yield* writeLarge(writer, part.position, out);
    } else {
      yield* copyPart("position" in part ? part.copy! : part, writing);
    }
  }
  writing.onWritten?.(writer.written);
  yield* out.take();
}

function* writeLarge(writer: SelectionWriter, position: number, out: PackOutput): Generator<Uint8Array> {
  for (const _ of writer.writeLarge(position)) {
    yield* out.isFull ? out.take() : nothingYet;
  }
}

/** Piece by piece, so that a reader who stops does not have the rest waiting in memory. */
function* copyPart({ pack, place, from, to }: PackPart, { out, pieceBytes }: Writing): Generator<Uint8Array> {
  if (from === to) {
    return;
  }
  const check = new CopyCheck(pack, place, from);
  for (let at = from; at < to;) {
    const end = Math.min(at + pieceBytes(), to);
    out.copy(pack, at, end, check);
    at = end;
    yield* out.take();
  }
}
