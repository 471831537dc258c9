import type { Selection } from "../graph/select-objects.ts";
import type { ObjectDatabase } from "../odb/object-database.ts";
import { deflatePieces } from "../pack/deflate-pieces.ts";
import { deflate, deflateOnce } from "../pack/deflate.ts";
import { encodeDelta } from "../pack/delta-encode.ts";
import { EntryKind, writeBaseDistance, writeEntryHeader } from "../pack/pack-entry.ts";
import { CopyCheck } from "../pack/copy-check.ts";
import { PackEntry, type PackFile } from "../pack/pack-file.ts";
import { UncachedReader } from "../pack/uncached-reader.ts";
import type { PackOutput } from "./pack-output.ts";
import { OffsetMemory, type WrittenOffsets } from "./written-offsets.ts";

/** A base has to be there before its delta, and its own base before it: deeper than this an object is written whole. */
const maxDepth = 50;
/** Objects this small gain nothing from a new delta, larger ones than that cost too much. */
const smallestDeltaBytes = 100;
const largestDeltaBytes = 16 * 1024 * 1024;

/** For all clones of this thread from several packs, bytes. */
const offsets = new OffsetMemory(16 * 1024 * 1024);

/**
 * Objects up to this size are deflated quickly: a response is 0.2 to 7 % larger, and takes a tenth less of a worker's
 * time.
 */
const smallBytes = 4096;
/**
 * Larger objects may be deflated quickly up to this share of the response, which grows by 3 % at most. If most of it is
 * copied, these are nearly all of them.
 */
const quickShare = 8;

/** Bytes of a stored pack that are to be copied as they are. */
export interface PackPart {
  readonly pack: PackFile;
  /** of the entry that `from` is in, in the order of the file */
  readonly place: number;
  readonly from: number;
  readonly to: number;
}

/** A part that is too large to be written at once. */
export interface LargePart {
  /** what to copy; else `position` is to be written with `writeLarge` */
  readonly copy: PackPart | null;
  readonly position: number;
  /** Whether it is a base: what it is for has not been written, and is to be asked for again. */
  readonly isFirst: boolean;
}

/**
 * Writes selected objects, each once, as the entries of a new pack.
 *
 * A compressed entry is copied as it is when it is whole, or a delta on an object that is sent too (then only the
 * distance is written anew) or that the client is known to hold. Everything else gets a new delta on the object that
 * selection found at the same path, if that makes it smaller, or is compressed whole.
 *
 * A base is always written before what builds on it, which also rules out circles between deltas of different packs.
 */
export class SelectionWriter implements Disposable {
  readonly #entry = new PackEntry();
  readonly #head = new Uint8Array(64);
  readonly #offsets: WrittenOffsets;
  /** whether bases are given by distance */
  readonly #ofsDelta: boolean;
  /** deltas below an object, where there are any; only kept when new deltas are made, as stored chains have their own limit */
  readonly #depths = new Map<number, number>();
  readonly #writing = new Set<number>();
  readonly #whole = new UncachedReader();
  /** written so far of larger objects that were deflated quickly */
  #quickBytes = 0;
  /** of the delta that was taken last */
  #base = -1;
  /** objects written so far */
  written = 0;
  readonly #copy: (bytes: Uint8Array, from: number, to: number) => void;

  constructor(
    private readonly db: ObjectDatabase,
    private readonly selection: Selection,
    private readonly options: { readonly ofsDelta: boolean; readonly thin: boolean; readonly pieceBytes: () => number },
    private readonly out: PackOutput,
    memory: OffsetMemory = offsets,
  ) {
    // Without origins and objects that the client has, all else in the pack follows from which objects it holds.
    const isAlike = options.ofsDelta && selection.known === null && selection.origins.size === 0;
    this.#offsets = memory.open(selection.count, db.size, isAlike ? selection.objects : null);
    this.#ofsDelta = options.ofsDelta && this.#offsets.areKnown;
    this.#copy = (bytes, from, to) => out.write(bytes, from, to);
  }

  /**
   * Writes the object at a position, after its base if that has to be written too. Does nothing when it is written
   * already. What is too large to be written at once is answered instead, for the caller to write before anything else.
   */
  write(position: number): LargePart | null {
    if (this.#offsets.get(position) > 0) {
      return null;
    }
    return this.writeEntry(position, false);
  }

  private writeEntry(position: number, isFirst: boolean): LargePart | null {
    let copy: PackPart | null = null;
    let isLarge = false;
    this.#writing.add(position);
    this.written++;
    const { db } = this;
    const number = db.packNumberOf(position);
    const pack = db.packs[number]!;
    const start = db.startOf(number);
    const offset = pack.index.offsetAt(position - start);
    const place = pack.order.orderAtOffset(offset);
    const end = pack.order.endAt(place);
    pack.readHeader(offset, this.#entry);
    const { baseOffset } = this.#entry;
    const base =
      baseOffset < 0 ? -1 : db.canonical(start + pack.order.positionAt(pack.order.orderAtOffset(baseOffset)));
    const first =
      base >= 0 && !isFirst && this.#writing.size === 1 && this.#offsets.get(base) === 0
        ? this.findLargeBase(base)
        : -1;
    if (first >= 0) {
      this.#writing.delete(position);
      this.written--;
      return this.writeEntry(first, true) ?? this.writeEntry(position, false);
    }
    if (base >= 0 && this.isUsable(base)) {
      copy = this.copyDelta(position, base, pack, place);
    } else if (!this.writeNewDelta(position, baseOffset < 0 ? end - offset : Number.POSITIVE_INFINITY)) {
      const written = this.out.written;
      if (baseOffset < 0) {
        copy = this.copyOrAnswer(pack, place, offset);
      } else {
        isLarge = !this.writeWhole(position);
      }
      this.#offsets.set(position, written);
    }
    this.#writing.delete(position);
    return copy === null && !isLarge ? null : { copy, position, isFirst };
  }

  /** Writes an object that `write` answered, whole. Yields as it goes, for what was written to be taken. */
  *writeLarge(position: number): Generator<void> {
    const { db, out } = this;
    out.write(this.#head, 0, writeEntryHeader(this.#head, 0, db.typeAt(position), db.sizeAt(position)));
    for (const piece of deflatePieces(db.readPieces(position), 1)) {
      out.write(piece);
      yield;
    }
  }

  /**
   * Notes the entry at a place of a pack as written where `written` says, as one of a run that the caller copies: one
   * that is whole, or a delta whose base is as far before it in the new pack as it is here. When only that distance is
   * another one, the header is for the caller to write, with `writeHeader`. Nothing is noted for other entries.
   */
  takeIntoRun(pack: PackFile, start: number, place: number, written: number): "whole" | "data" | null {
    const { order } = pack;
    const position = start + order.positionAt(place);
    const offset = order.offsetAt(place);
    if (this.#offsets.get(position) > 0) {
      return null;
    }
    pack.readHeader(offset, this.#entry);
    const { kind, baseOffset } = this.#entry;
    if (kind === EntryKind.refDelta) {
      return null;
    }
    let taken: "whole" | "data" = "whole";
    if (kind === EntryKind.ofsDelta) {
      this.#base = start + order.positionAt(order.orderAtOffset(baseOffset));
      const base = this.#offsets.get(this.#base);
      if (base === 0) {
        return null;
      }
      taken = base === written - offset + baseOffset ? "whole" : "data";
    }
    this.#offsets.set(position, written);
    this.written++;
    return taken;
  }

  /** Writes the header of the entry that was taken last; returns where in its pack the data follows. */
  writeHeader(): number {
    this.writeDeltaHeader(this.#base, this.#entry.size);
    return this.#entry.dataStart;
  }

  /** Whether a pack's entries can be copied in runs: no new delta may have changed how deep the deltas are. */
  get canCopyRuns(): boolean {
    return this.#ofsDelta && this.selection.origins.size === 0;
  }

  /** Others may use the memory for where objects are written. */
  [Symbol.dispose](): void {
    this.#offsets[Symbol.dispose]();
  }

  /** Whether an object can be the base of a delta written next; writes it first where that is what it takes. */
  private isUsable(base: number): boolean {
    if (this.#offsets.get(base) === 0) {
      if (!this.selection.objects.has(base)) {
        return this.options.thin && this.selection.known?.has(base) === true;
      }
      if (this.#writing.has(base) || this.#writing.size > maxDepth || this.isLarge(base)) {
        return false;
      }
      this.write(base);
    }
    return (this.#depths.get(base) ?? 0) < maxDepth || this.selection.origins.size === 0;
  }

  /**
   * Among an object and those of its bases that must be written, finds the deepest one that is too large to be written
   * on the way; -1 for none.
   */
  private findLargeBase(position: number): number {
    let found = -1;
    let at = position;
    for (
      let depth = 0;
      at >= 0 && depth < maxDepth && this.#offsets.get(at) === 0 && this.selection.objects.has(at);
      depth++
    ) {
      found = this.isLarge(at) ? at : found;
      at = this.baseOf(at);
    }
    return found;
  }

  private baseOf(position: number): number {
    const { db } = this;
    const number = db.packNumberOf(position);
    const pack = db.packs[number]!;
    const start = db.startOf(number);
    pack.readHeader(pack.index.offsetAt(position - start), this.#entry);
    const { baseOffset } = this.#entry;
    return baseOffset < 0 ? -1 : db.canonical(start + pack.order.positionAt(pack.order.orderAtOffset(baseOffset)));
  }

  private isLarge(position: number): boolean {
    const { db } = this;
    const number = db.packNumberOf(position);
    const pack = db.packs[number]!;
    const offset = pack.index.offsetAt(position - db.startOf(number));
    return Math.max(pack.order.endOf(offset) - offset, pack.sizeOf(offset)) > db.largeBytes;
  }

  /** Copies an entry from one of its bytes on, or answers them where they are many and nothing else is being written. */
  private copyOrAnswer(pack: PackFile, place: number, from: number): PackPart | null {
    const to = pack.order.endAt(place);
    if (this.#writing.size === 1 && to - from > this.options.pieceBytes()) {
      return { pack, place, from, to };
    }
    this.out.copy(pack, from, to, new CopyCheck(pack, place, from));
    return null;
  }

  private copyDelta(position: number, base: number, pack: PackFile, place: number): PackPart | null {
    const { out } = this;
    const entry = this.#entry;
    const offset = pack.order.offsetAt(place);
    pack.readHeader(offset, entry);
    const written = out.written;
    if (
      entry.kind === EntryKind.ofsDelta &&
      entry.baseDistance === written - this.#offsets.get(base) &&
      this.#ofsDelta
    ) {
      this.finish(position, base, written);
      return this.copyOrAnswer(pack, place, offset);
    }
    const { dataStart } = entry;
    this.writeDeltaHeader(base, entry.size);
    this.finish(position, base, written);
    return this.copyOrAnswer(pack, place, dataStart);
  }

  /** False for an object that is left to `writeLarge`. */
  private writeWhole(position: number): boolean {
    const { out, db } = this;
    const object = db.readOnceSmall(position, this.#whole);
    if (object === null) {
      if (this.#writing.size === 1) {
        return false;
      }
      // It is not large itself, or it would not be written on the way.
      Array.from(this.writeLarge(position));
      return true;
    }
    const { type, bytes } = object;
    out.write(this.#head, 0, writeEntryHeader(this.#head, 0, type, bytes.length));
    const { written } = out;
    const isSmall = bytes.length <= smallBytes;
    const isQuick = isSmall || this.#quickBytes * quickShare < written;
    deflateOnce(bytes, isQuick, this.#copy);
    this.#quickBytes += isQuick && !isSmall ? out.written - written : 0;
    return true;
  }

  /** Writes a delta on the object's origin; false if there is none or the entry would not be shorter than `limitBytes`. */
  private writeNewDelta(position: number, limitBytes: number): boolean {
    const { db, out } = this;
    const base = this.selection.origins.get(position);
    if (base === undefined || limitBytes < smallestDeltaBytes || db.typeAt(base) !== db.typeAt(position)) {
      return false;
    }
    const size = db.sizeAt(position);
    if (Math.max(size, db.sizeAt(base)) > largestDeltaBytes || !this.isUsable(base)) {
      return false;
    }
    const delta = encodeDelta(db.read(base).bytes, db.read(position).bytes, size >> 1);
    const compressed = delta === null ? null : deflate(delta, 1);
    if (delta === null || compressed === null || compressed.length + db.format.oidBytes > limitBytes) {
      return false;
    }
    const written = out.written;
    this.writeDeltaHeader(base, delta.length);
    out.write(compressed);
    this.finish(position, base, written);
    return true;
  }

  /** Kind, size and base of a delta: by distance when the base is in this pack and the client understands that. */
  private writeDeltaHeader(base: number, size: number): void {
    const { out } = this;
    const baseOffset = this.#offsets.get(base);
    if (baseOffset > 0 && this.#ofsDelta) {
      const length = writeEntryHeader(this.#head, 0, EntryKind.ofsDelta, size);
      out.write(this.#head, 0, writeBaseDistance(this.#head, length, out.written - baseOffset));
    } else {
      out.write(this.#head, 0, writeEntryHeader(this.#head, 0, EntryKind.refDelta, size));
      out.write(this.db.oidAt(base));
    }
  }

  private finish(position: number, base: number, written: number): void {
    this.#offsets.set(position, written);
    if (this.selection.origins.size > 0) {
      this.#depths.set(position, (this.#depths.get(base) ?? 0) + 1);
    }
  }
}

// Methods with a private name of the language would be out of its reach.
