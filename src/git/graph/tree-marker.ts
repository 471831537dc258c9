import { CorruptObject } from "../objects/errors.ts";
import { ObjectType, typeName } from "../objects/object-type.ts";
import { bytesToHex } from "../objects/oid.ts";
import { MissingObject, type ObjectDatabase } from "../odb/object-database.ts";
import type { UncachedReader } from "../pack/uncached-reader.ts";
import type { Bitset } from "./bitset.ts";
import { TreeReference } from "../tree/tree-reference.ts";

/** The kind of thing that a tree entry's mode names: the bits above the permissions. */
const directoryMode = 0o40000;
const submoduleMode = 0o160000;
const kindBits = 0o170000;

/** Bytes of trees kept to compare with; beyond it all are forgotten. */
const maxReferenceBytes = 32 * 1024 * 1024;
const maxOrigins = 500_000;

export interface TreeMarking {
  /** refuse file entries that name something other than a blob */
  readonly checkTypes?: boolean;
  /** whether a file is added; "none": no file is even looked up */
  readonly files?: "none" | ((position: number) => boolean);
  /** filled with: object added → object of the same path that was marked before it */
  readonly origins?: Map<number, number>;
  /** Trees are read through this, and none is kept to compare with: for a single commit, of which no path comes up again. */
  readonly reader?: UncachedReader;
}

/**
 * Adds trees and everything below them to a set. What is in the set already is not entered.
 *
 * Trees of neighbouring commits differ in a few entries, and looking up all the others would be most of the work of
 * walking a history. So the tree last seen at each path is kept, and entries that stand in both are skipped: they are in
 * the set since that tree was walked.
 */
export class TreeMarker {
  /** by a hash of the path: a collision only costs the comparison */
  readonly #references = new Map<number, TreeReference>();
  #referenceBytes = 0;
  #starts = new Int32Array(1024);
  /** trees to walk, each a position and the hash of its path */
  readonly #pending: number[] = [];

  constructor(
    private readonly db: ObjectDatabase,
    private readonly seen: Bitset,
    private readonly options: TreeMarking = {},
  ) {}

  /**
   * Adds the tree at `root` and everything below it, except submodules, which are commits of other repositories.
   * Returns how many objects were added. Throws MissingObject for an entry that is not there, CorruptObject for a tree
   * that is none.
   */
  mark(root: number): number {
    if (this.seen.has(root)) {
      return 0;
    }
    this.seen.add(root);
    this.note(root, this.#references.get(0)?.position ?? root);
    let added = 1;
    const pending = this.#pending;
    pending.length = 0;
    pending.push(root, 0);
    while (pending.length > 0) {
      const path = pending.pop()!;
      added += this.markEntries(pending.pop()!, path);
    }
    return added;
  }

  /** Adds the entries of one tree, which is in the set itself. */
  private markEntries(position: number, path: number): number {
    const { reader } = this.options;
    const { type, bytes } =
      reader === undefined ? this.db.read(position) : this.db.readOnceUpTo(position, reader, Number.POSITIVE_INFINITY)!;
    if (type !== ObjectType.tree) {
      throw new CorruptObject(`The object ${this.db.hexAt(position)} is a ${typeName(type)} where a tree is needed`);
    }
    const { oidBytes } = this.db.format;
    const tree = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const reference = this.#references.get(path);
    let added = 0;
    let count = 0;
    /** the entry of the reference that is expected next */
    let next = 0;
    for (let at = 0; at < tree.length;) {
      if (reference !== undefined && next < reference.count) {
        // Both trees have an entry that starts here, so as long as the bytes are equal the entries are.
        const equal = reference.countEqual(next, tree, at);
        const shift = at - reference.starts[next]!;
        this.reserve(count + equal);
        for (const end = next + equal; next < end; next++) {
          this.#starts[count++] = reference.starts[next]! + shift;
        }
        at = reference.starts[next]! + shift;
        if (at >= tree.length) {
          break;
        }
      }
      this.reserve(count + 1);
      this.#starts[count++] = at;
      let mode = 0;
      for (let byte = tree[at++]!; byte !== 0x20 && at < tree.length; byte = tree[at++]!) {
        mode = (mode << 3) | (byte & 7);
      }
      const nameAt = at;
      let hash = path;
      for (let byte = tree[at]!; byte !== 0 && at < tree.length; byte = tree[++at]!) {
        hash = (Math.imul(hash, 31) + byte) | 0;
      }
      const oidAt = at + 1;
      if (oidAt + oidBytes > tree.length) {
        throw new CorruptObject(`The tree ${this.db.hexAt(position)} is cut off`);
      }
      const replaced = reference === undefined ? -1 : reference.findName(next, tree, nameAt, at, oidBytes);
      next = replaced < 0 ? next : replaced + 1;
      at = oidAt + oidBytes;
      const kind = mode & kindBits;
      const entry =
        kind === submoduleMode || (kind !== directoryMode && this.options.files === "none")
          ? -1
          : this.add(tree, oidAt, kind);
      if (entry < 0) {
        continue;
      }
      added++;
      if (replaced >= 0) {
        this.note(entry, this.db.find(reference!.bytes, reference!.starts[replaced + 1]! - oidBytes));
      }
      if (kind === directoryMode) {
        // A slash ends the name, so that the path "a/b" has another hash than "ab".
        this.#pending.push(entry, (Math.imul(hash, 31) + 0x2f) | 0);
      } else if (this.options.checkTypes === true && this.db.typeAt(entry) !== ObjectType.blob) {
        throw new CorruptObject(
          `The tree ${this.db.hexAt(position)} names ${this.db.hexAt(entry)} as a file, which is a ${typeName(this.db.typeAt(entry))}`,
        );
      }
    }
    if (reader === undefined) {
      this.keep(path, new TreeReference(position, tree, this.takeStarts(count, tree.length)));
    }
    return added;
  }

  /** Adds what an entry names; its position if it was new, else -1. */
  private add(tree: Uint8Array, oidAt: number, kind: number): number {
    const entry = this.db.find(tree, oidAt);
    if (entry < 0) {
      throw new MissingObject(bytesToHex(tree, oidAt, this.db.format.oidBytes));
    }
    const { files } = this.options;
    if (this.seen.has(entry) || (typeof files === "function" && kind !== directoryMode && !files(entry))) {
      return -1;
    }
    this.seen.add(entry);
    return entry;
  }

  private note(entry: number, origin: number): void {
    const { origins } = this.options;
    if (origins !== undefined && origins.size < maxOrigins && origin >= 0 && origin !== entry) {
      origins.set(entry, origin);
    }
  }

  private reserve(count: number): void {
    if (count >= this.#starts.length) {
      const grown = new Int32Array(count * 2);
      grown.set(this.#starts);
      this.#starts = grown;
    }
  }

  private takeStarts(count: number, end: number): Int32Array {
    const starts = this.#starts.slice(0, count + 1);
    starts[count] = end;
    return starts;
  }

  private keep(path: number, reference: TreeReference): void {
    this.#referenceBytes += reference.heldBytes - (this.#references.get(path)?.heldBytes ?? 0);
    if (this.#referenceBytes > maxReferenceBytes) {
      this.#references.clear();
      this.#referenceBytes = reference.heldBytes;
    }
    this.#references.set(path, reference);
  }
}

// Methods with a private name of the language would be out of its reach: `markEntries` alone took 20 ms.
