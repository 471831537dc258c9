import { committerDate } from "../objects/committer-date.ts";
import type { ObjectFormat } from "../objects/object-format.ts";
import { ObjectType, typeOfName } from "../objects/object-type.ts";
import { parseHexAt } from "../objects/oid.ts";
import { FileMode } from "../objects/tree.ts";
import { TreeReference } from "../tree/tree-reference.ts";
import type { EntryTable } from "../pack/entry-table.ts";
import { OidMap } from "../pack/oid-map.ts";

/**
 * How the objects of a pack that names nothing outside itself hang together, by the places of the objects in the pack's
 * index: what a walk of the history would find, found while the objects were at hand anyway.
 */
export interface PackLinks {
  /** how often each is named by others of the pack: a tree with two equal files names one twice */
  readonly counts: Int32Array;
  /** what each is: its ObjectType */
  readonly types: Uint8Array;
  /**
   * The objects that a tree or tag names: `starts[position]` is the index of its list in `lists`, which has a count and
   * then numbers whose positions are in `positions`. -1 if it was not recorded: other types, and trees beyond a bound.
   */
  readonly named: { readonly starts: Int32Array; readonly lists: Int32Array; readonly positions: Int32Array };
  /** The commits, as columns (see CommitTable). */
  readonly commits: {
    readonly positions: Int32Array;
    readonly trees: Int32Array;
    readonly dates: Float64Array;
    readonly parentStarts: Int32Array;
    readonly parents: Int32Array;
  };
}

/** Numbers written down of what trees name, 8 MB: as much as a history of some 10,000 commits has. */
const maxListed = 2 * 1024 * 1024;

/**
 * Notes which objects the objects of a pack name, as they come. It takes
 * some 60 bytes an object and at most 16 MB, and gives up as soon as more objects are named than the pack has.
 */
export class LinkCounter {
  private readonly named: OidMap;
  /** By the number of what is named: how often, and as which type. */
  private counts = new Int32Array(1024);
  private types = new Uint8Array(1024);
  /** The commits so far, what they name as numbers. */
  private readonly commits: number[] = [];
  private readonly trees: number[] = [];
  private readonly dates: number[] = [];
  private readonly parentStarts: number[] = [0];
  private readonly parents: number[] = [];
  /** The last tree, and the number of what each of its entries names, or -1. Trees that follow each other differ little. */
  private reference: TreeReference | null = null;
  private referenceItems = new Int32Array(256);
  private items = new Int32Array(256);
  /** The bytes and starts of the reference, and those that are filled for the next one. They change places. */
  private referenceBytes = Buffer.alloc(0);
  private bytes = Buffer.alloc(0);
  private referenceStarts = new Int32Array(256);
  private starts = new Int32Array(256);
  private readonly oid: Uint8Array;
  private taken: Uint8Array | null = null;
  private takenBuffer: Buffer = Buffer.alloc(0);
  /** The objects that trees and tags name, one list after the other; `listStarts` has the start of each by entry. */
  private lists = new Int32Array(4096);
  private listed = 0;
  private readonly listStarts: Int32Array;
  private open = true;

  constructor(
    private readonly format: ObjectFormat,
    private readonly objects: number,
  ) {
    this.named = new OidMap(format.oidBytes, objects);
    this.oid = new Uint8Array(format.oidBytes);
    this.listStarts = new Int32Array(objects).fill(-1);
  }

  /** Takes the object of an entry, which is no tree and was checked for its form: `bytes[at..at + size)`. */
  take(entry: number, type: ObjectType, bytes: Uint8Array, at: number): void {
    if (type === ObjectType.blob || !this.open) {
      return;
    }
    if (type === ObjectType.commit) {
      this.takeCommit(entry, this.asBuffer(bytes), at);
    } else {
      this.takeTag(entry, this.asBuffer(bytes), at);
    }
    this.open &&= this.named.size <= this.objects;
  }

  /**
   * Takes a tree before its form is checked; the caller discards the counter if the tree is malformed. Returns whether
   * the tree has the names and modes of the tree before it and no null oids. Its form is then correct if the previous
   * one's was.
   */
  takeTree(entry: number, bytes: Uint8Array, at: number, size: number): boolean {
    if (!this.open) {
      return false;
    }
    const isAlike = this.readTree(entry, this.asBuffer(bytes), at, at + size);
    this.open &&= this.named.size <= this.objects;
    return isAlike;
  }

  /**
   * Returns the objects that each object of `table` names; `sorted` has its entries in the order of the index. Null if
   * an object names one that is not in the pack, or one of another type.
   */
  finish(table: EntryTable, sorted: Uint32Array): PackLinks | null {
    if (!this.open) {
      return null;
    }
    const { named } = this;
    const counts = new Int32Array(sorted.length);
    const positionOf = new Int32Array(named.size);
    const positionOfEntry = new Int32Array(table.count);
    const starts = new Int32Array(sorted.length);
    const types = new Uint8Array(sorted.length);
    for (let position = 0; position < sorted.length; position++) {
      positionOfEntry[sorted[position]!] = position;
    }
    let found = 0;
    // In the order of the pack, where what is named together lies together, and not in that of the index, which is random.
    for (let entry = 0; entry < table.count; entry++) {
      const position = positionOfEntry[entry]!;
      starts[position] = this.listStarts[entry]!;
      types[position] = table.types[entry]!;
      const item = named.findItem(table.oids, entry * table.oidBytes);
      if (item >= 0) {
        if (this.types[item] !== table.types[entry]) {
          return null;
        }
        counts[position] = this.counts[item]!;
        positionOf[item] = position;
        found++;
      }
    }
    if (found !== named.size) {
      return null;
    }
    return {
      counts,
      types,
      named: { starts, lists: this.lists, positions: positionOf },
      commits: {
        positions: placesOf(this.commits, positionOfEntry),
        trees: placesOf(this.trees, positionOf),
        dates: new Float64Array(this.dates),
        parentStarts: new Int32Array(this.parentStarts),
        parents: placesOf(this.parents, positionOf),
      },
    };
  }

  /** Most objects come in one and the same buffer: a view for each would be most of the garbage. */
  private asBuffer(bytes: Uint8Array): Buffer {
    if (bytes !== this.taken) {
      this.taken = bytes;
      this.takenBuffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    }
    return this.takenBuffer;
  }

  private takeCommit(entry: number, commit: Buffer, from: number): void {
    const { hexLength } = this.format;
    this.commits.push(entry);
    this.trees.push(this.nameHex(commit, from + 5, ObjectType.tree));
    let at = from + hexLength + 6;
    // "parent <oid>\n"; nothing else that begins with a p stands here.
    for (; commit[at] === 0x70; at += hexLength + 8) {
      this.parents.push(this.nameHex(commit, at + 7, ObjectType.commit));
    }
    this.parentStarts.push(this.parents.length);
    this.dates.push(committerDate(commit, at));
  }

  /** "object <oid>\ntype <type>\n" */
  private takeTag(entry: number, tag: Buffer, from: number): void {
    const typeAt = from + 7 + this.format.hexLength + 6;
    const type = typeOfName(tag.toString("latin1", typeAt, tag.indexOf(10, typeAt)));
    if (type === null) {
      this.open = false;
      return;
    }
    this.items[0] = this.nameHex(tag, from + 7, type);
    this.list(entry, 1);
  }

  /** Entries that stand in the tree before it, too, are neither parsed nor looked up. */
  private readTree(entry: number, tree: Buffer, from: number, end: number): boolean {
    const { oidBytes } = this.format;
    const { reference } = this;
    let count = 0;
    let isAlike = reference !== null;
    /** the entry of the reference that is expected next */
    let next = 0;
    for (let at = from; at < end;) {
      if (reference !== null && next < reference.count) {
        const equal = reference.countEqual(next, tree, at, end);
        this.reserve(count + equal);
        at += this.takeEqual(reference, next, equal, count, at - from);
        next += equal;
        count += equal;
        if (at >= end) {
          break;
        }
      }
      this.reserve(count + 1);
      this.starts[count] = at - from;
      const modeAt = at;
      let mode = 0;
      for (let byte = tree[at++]!; byte !== 0x20 && at < end; byte = tree[at++]!) {
        mode = (mode << 3) | (byte & 7);
      }
      const nameAt = at;
      while (tree[at] !== 0 && at < end) {
        at++;
      }
      if (at + 1 + oidBytes > end) {
        return false;
      }
      const replaced = reference === null ? -1 : reference.findName(next, tree, nameAt, at, oidBytes);
      isAlike &&=
        replaced === next && hasMode(reference!, next, tree, modeAt, nameAt) && !isNull(tree, at + 1, oidBytes);
      next = replaced < 0 ? next : replaced + 1;
      const type = mode === FileMode.tree ? ObjectType.tree : ObjectType.blob;
      this.items[count++] = mode === FileMode.submodule ? -1 : this.name(tree, at + 1, type);
      at += 1 + oidBytes;
    }
    this.reserve(count + 1);
    this.starts[count] = end - from;
    this.list(entry, count);
    this.refer(tree, from, end, count);
    // As long, too: not cut off in the midst of the last oid, nor a few entries short.
    return isAlike && end - from === reference!.starts[reference!.count];
  }

  /** Takes entries that the reference has, too, as the entries from number `count` on, at byte `at` of the tree; how many bytes they are. */
  private takeEqual(reference: TreeReference, first: number, equal: number, count: number, at: number): number {
    const { starts, items, referenceItems, counts } = this;
    const shift = at - reference.starts[first]!;
    for (let entry = 0; entry < equal; entry++) {
      const item = referenceItems[first + entry]!;
      starts[count + entry] = reference.starts[first + entry]! + shift;
      items[count + entry] = item;
      if (item >= 0) {
        counts[item]!++;
      }
    }
    return reference.starts[first + equal]! - reference.starts[first]!;
  }

  /** Makes the tree whose entries were just read the reference. Without new buffers: those of large trees would be most of the garbage. */
  private refer(tree: Buffer, from: number, end: number, count: number): void {
    if (this.bytes.length < end - from) {
      this.bytes = Buffer.allocUnsafeSlow((end - from) * 2);
    }
    tree.copy(this.bytes, 0, from, end);
    this.reference = new TreeReference(-1, this.bytes, this.starts, count);
    [this.bytes, this.referenceBytes] = [this.referenceBytes, this.bytes];
    [this.starts, this.referenceStarts] = [this.referenceStarts, this.starts];
    [this.items, this.referenceItems] = [this.referenceItems, this.items];
  }

  /** Writes down the first of `items` as what an entry names. */
  private list(entry: number, count: number): void {
    if (this.listed + count + 1 > this.lists.length) {
      if (this.listed + count + 1 > maxListed) {
        return;
      }
      this.lists = grown(this.lists, new Int32Array(Math.min(2 * (this.listed + count + 1), maxListed)));
    }
    this.listStarts[entry] = this.listed;
    const { lists, items } = this;
    const start = this.listed++;
    for (let item = 0; item < count; item++) {
      if (items[item]! >= 0) {
        lists[this.listed++] = items[item]!;
      }
    }
    lists[start] = this.listed - start - 1;
  }

  private nameHex(bytes: Uint8Array, at: number, type: ObjectType): number {
    parseHexAt(bytes, at, this.oid);
    return this.name(this.oid, 0, type);
  }

  /** Counts one more naming of an oid as an object of that type; the oid's number. */
  private name(bytes: Uint8Array, at: number, type: ObjectType): number {
    const item = this.named.itemOf(bytes, at);
    if (item === this.counts.length) {
      this.counts = grown(this.counts, new Int32Array(item * 2));
      this.types = grown(this.types, new Uint8Array(item * 2));
    }
    if (this.counts[item]!++ === 0) {
      this.types[item] = type;
    } else if (this.types[item] !== type) {
      this.open = false;
    }
    return item;
  }

  private reserve(entries: number): void {
    if (entries > this.starts.length) {
      this.starts = grown(this.starts, new Int32Array(entries * 2));
      this.items = grown(this.items, new Int32Array(entries * 2));
    }
  }
}

/** Whether an entry of the reference begins with the same mode, in the same digits, as what is in `tree[from..to)`. */
function hasMode({ bytes, starts }: TreeReference, entry: number, tree: Uint8Array, from: number, to: number): boolean {
  const shift = starts[entry]! - from;
  for (let at = from; at < to; at++) {
    if (tree[at] !== bytes[at + shift]) {
      return false;
    }
  }
  return true;
}

function isNull(bytes: Uint8Array, at: number, length: number): boolean {
  let byte = at;
  while (byte < at + length && bytes[byte] === 0) {
    byte++;
  }
  return byte === at + length;
}

/** A loop, since `Int32Array.from` takes ten times as long. */
function placesOf(items: readonly number[], places: Int32Array): Int32Array {
  const result = new Int32Array(items.length);
  for (let at = 0; at < items.length; at++) {
    result[at] = places[items[at]!]!;
  }
  return result;
}

function grown<Column extends Int32Array | Uint8Array>(from: Column, to: Column): Column {
  to.set(from);
  return to;
}
