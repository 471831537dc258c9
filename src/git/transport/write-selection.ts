import type { Selection } from "../graph/select-objects.ts";
import type { ObjectDatabase } from "../odb/object-database.ts";
import type { SidebandSize } from "../wire/sideband.ts";
import { PackOutput } from "./pack-output.ts";
import { SelectionWriter } from "./selection-writer.ts";

export interface PackWriting {
  readonly sideband: SidebandSize;
  /** whether the client understands bases given by distance; else they are given by oid */
  readonly ofsDelta: boolean;
  /** whether a delta's base may be an object of `selection.known` that is not sent */
  readonly thin: boolean;
}

/**
 * Writes a pack of the selected objects out of any number of packs (see SelectionWriter).
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
    const { order } = db.packs[number]!;
    const start = db.startOf(number);
    for (const place of selectedOrders(db, number, selection)) {
      writer.write(start + order.positionAt(place));
      yield* out.take();
    }
  }
  yield* out.finish();
}

/** The selected entries of a pack in the order of the file, where bases mostly stand before their deltas. */
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
