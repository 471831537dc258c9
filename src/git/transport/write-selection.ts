import { deflateSync } from "node:zlib";
import type { Selection } from "../graph/select-objects.ts";
import type { ObjectDatabase } from "../odb/object-database.ts";
import { EntryKind, writeBaseDistance, writeEntryHeader } from "../pack/pack-entry.ts";
import { PackEntry, type PackFile } from "../pack/pack-file.ts";
import type { SidebandSize } from "../wire/sideband.ts";
import { PackOutput } from "./pack-output.ts";

export interface PackWriting {
  readonly sideband: SidebandSize;
  /** whether the client understands bases given by distance; else they are given by oid */
  readonly ofsDelta: boolean;
  /** whether a delta's base may be an object of `selection.known` that is not sent */
  readonly thin: boolean;
}

/** Compression of the few entries that cannot be copied: their stored form is a delta on something the client lacks. */
const level = 6;

/**
 * Writes a pack of the selected objects out of any number of packs, copying compressed entries as they are. A delta is
 * kept when its base was written before it (the distance is written anew) or is known to the client; else the object is
 * compressed whole. That a base always comes first also rules out circles between deltas of different packs.
 * Yields chunks of sideband packets (or plain bytes), complete with the pack's checksum, without a last flush.
 */
export function* writeSelection(db: ObjectDatabase, selection: Selection, options: PackWriting): Generator<Uint8Array> {
  const out = new PackOutput(db.format, options.sideband);
  const head = new Uint8Array(12);
  new DataView(head.buffer).setUint32(0, 0x5041434b);
  new DataView(head.buffer).setUint32(4, 2);
  new DataView(head.buffer).setUint32(8, selection.count);
  out.write(head);
  const writer = new SelectionWriter(db, selection, options, out);
  for (let number = 0; number < db.packs.length; number++) {
    const start = db.startOf(number);
    const { order } = db.packs[number]!;
    for (const place of selectedOrders(db, number, selection)) {
      writer.entry(db.packs[number]!, start, order.positionAt(place), order.offsetAt(place), order.endAt(place));
      yield* out.take();
    }
  }
  yield* out.finish();
}

/** The selected entries of a pack in the order of the file: bases stand before their deltas. */
function selectedOrders(db: ObjectDatabase, number: number, { objects }: Selection): Uint32Array {
  const pack = db.packs[number]!;
  const start = db.startOf(number);
  const orders: number[] = [];
  for (let position = 0; position < pack.entryCount; position++) {
    if (objects.has(start + position)) {
      orders.push(pack.order.orderOf(position));
    }
  }
  return Uint32Array.from(orders).sort();
}

class SelectionWriter {
  readonly #entry = new PackEntry();
  readonly #head = new Uint8Array(64);
  /** by position: where in the new pack the object starts; 0 before it is written */
  readonly #offsets: { get(position: number): number; set(position: number, offset: number): void };
  readonly #copy: (bytes: Uint8Array, from: number, to: number) => void;

  constructor(
    private readonly db: ObjectDatabase,
    private readonly selection: Selection,
    private readonly options: PackWriting,
    private readonly out: PackOutput,
  ) {
    this.#offsets = selection.count * 8 < db.size ? sparseOffsets() : denseOffsets(db.size);
    this.#copy = (bytes, from, to) => out.write(bytes, from, to);
  }

  /** Writes the object at `position` of the pack, whose entry is `[offset, end)`. */
  entry(pack: PackFile, start: number, position: number, offset: number, end: number): void {
    const { db, out, options } = this;
    const entry = this.#entry;
    const written = out.written;
    pack.readHeader(offset, entry);
    if (entry.baseOffset < 0) {
      pack.forEachChunk(offset, end, this.#copy);
    } else {
      const base = db.canonical(start + pack.order.positionAt(pack.order.orderAtOffset(entry.baseOffset)));
      const baseOffset = this.#offsets.get(base);
      if (baseOffset > 0 && options.ofsDelta) {
        if (entry.kind === EntryKind.ofsDelta && entry.baseDistance === written - baseOffset) {
          pack.forEachChunk(offset, end, this.#copy);
        } else {
          const length = writeEntryHeader(this.#head, 0, EntryKind.ofsDelta, entry.size);
          out.write(this.#head, 0, writeBaseDistance(this.#head, length, written - baseOffset));
          pack.forEachChunk(entry.dataStart, end, this.#copy);
        }
      } else if (baseOffset > 0 || (options.thin && this.selection.known?.has(base) === true)) {
        out.write(this.#head, 0, writeEntryHeader(this.#head, 0, EntryKind.refDelta, entry.size));
        out.write(db.oidAt(base));
        pack.forEachChunk(entry.dataStart, end, this.#copy);
      } else {
        const object = db.read(start + position);
        out.write(this.#head, 0, writeEntryHeader(this.#head, 0, object.type, object.bytes.length));
        out.write(deflateSync(object.bytes, { level }));
      }
    }
    this.#offsets.set(start + position, written);
  }
}

/** For a large part of the objects: eight bytes for each of them all. */
function denseOffsets(size: number): { get(position: number): number; set(position: number, offset: number): void } {
  const offsets = new Float64Array(size);
  return {
    get: (position) => offsets[position]!,
    set: (position, offset) => {
      offsets[position] = offset;
    },
  };
}

function sparseOffsets(): { get(position: number): number; set(position: number, offset: number): void } {
  const offsets = new Map<number, number>();
  return { get: (position) => offsets.get(position) ?? 0, set: (position, offset) => void offsets.set(position, offset) };
}
