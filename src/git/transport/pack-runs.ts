import type { Selection } from "../graph/select-objects.ts";
import type { PackFile } from "../pack/pack-file.ts";
import type { PackOutput } from "./pack-output.ts";
import { findFew } from "./selected-places.ts";
import type { LargePart, PackPart, SelectionWriter } from "./selection-writer.ts";

interface Selecting {
  readonly selection: Selection;
  readonly out: PackOutput;
  readonly pieceBytes: () => number;
}

/**
 * The selected objects of one pack, in the order of the file, where bases are mostly before their deltas. The caller
 * copies runs of entries that stay unchanged; other entries are written here. This is no generator: the compilers would
 * compile its whole body, with all that it calls, again for each kind of selection.
 */
export class PackRuns {
  /** the places of what is selected, when that is little */
  private readonly few: Uint32Array | null;
  private readonly places: number;
  /** the next of the places */
  private at = 0;
  /** the run that is noted as written and not copied yet */
  private from = 0;
  private to = 0;
  /** of its first entry */
  private first = 0;
  /** what is to be done with the present entry as soon as the run before it is copied */
  private held: "data" | "alone" | null = null;

  /** start: of the pack in its database */
  constructor(
    private readonly writer: SelectionWriter,
    private readonly pack: PackFile,
    private readonly start: number,
    private readonly selecting: Selecting,
  ) {
    this.few = findFew(selecting.selection, pack, start);
    this.places = this.few === null ? pack.entryCount : this.few.length;
  }

  /** The part to copy next (an empty one when a chunk is full), or to write in pieces; null when all is written. */
  next(): PackPart | LargePart | null {
    const { pack, writer, start, few } = this;
    const { order } = pack;
    const { objects } = this.selecting.selection;
    const { out, pieceBytes } = this.selecting;
    for (; this.at < this.places; this.at++) {
      const place = few === null ? this.at : few[this.at]!;
      const position = start + order.positionAt(place);
      if (few === null && !objects.has(position)) {
        continue;
      }
      const offset = order.offsetAt(place);
      const run = this.to - this.from;
      if (run > 0 && this.held === null && (offset !== this.to || run >= pieceBytes())) {
        return this.takeRun();
      }
      const taken =
        this.held ?? (writer.canCopyRuns ? writer.takeIntoRun(pack, start, place, out.written + run) : null) ?? "alone";
      this.held = null;
      if (taken !== "whole" && run > 0) {
        this.held = taken;
        return this.takeRun();
      }
      if (taken === "alone") {
        const large = writer.write(position);
        if (large !== null || out.isFull) {
          this.at += large?.isFirst === true ? 0 : 1;
          return large ?? this.takeRun();
        }
      } else {
        if (run === 0) {
          this.from = taken === "whole" ? offset : writer.writeHeader();
          this.first = place;
        }
        this.to = order.endAt(place);
      }
    }
    return this.to > this.from ? this.takeRun() : null;
  }

  private takeRun(): PackPart {
    const run = { pack: this.pack, place: this.first, from: this.from, to: this.to };
    this.from = this.to;
    return run;
  }
}
