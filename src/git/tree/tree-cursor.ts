import type { ObjectFormat } from "../objects/object-format.ts";
import { CorruptObject } from "../objects/errors.ts";

/** Goes through the entries of a tree one by one, in place: fields of the present entry, no garbage. */
export class TreeCursor {
  mode = 0;
  nameAt = 0;
  nameEnd = 0;
  oidAt = 0;
  /** false when the last entry was passed */
  valid = true;
  #next = 0;

  /** Stands on the first entry, if there is one. Throws CorruptObject, as does `next`. */
  constructor(
    readonly bytes: Uint8Array,
    private readonly format: ObjectFormat,
  ) {
    this.next();
  }

  get isTree(): boolean {
    return (this.mode & 0o170000) === 0o040000;
  }

  next(): void {
    const { bytes } = this;
    let at = this.#next;
    if (at >= bytes.length) {
      this.valid = false;
      return;
    }
    let mode = 0;
    for (; bytes[at] !== 0x20; at++) {
      const digit = (bytes[at] ?? 0) - 0x30;
      if (digit < 0 || digit > 7 || mode > 0o777777) {
        throw new CorruptObject(`Cannot read the mode of a tree entry at byte ${at}`);
      }
      mode = (mode << 3) | digit;
    }
    const nameEnd = bytes.indexOf(0, at + 1);
    if (nameEnd < 0 || nameEnd + 1 + this.format.oidBytes > bytes.length) {
      throw new CorruptObject(`Cannot read the tree entry at byte ${at}: it is cut off`);
    }
    this.mode = mode;
    this.nameAt = at + 1;
    this.nameEnd = nameEnd;
    this.oidAt = nameEnd + 1;
    this.#next = nameEnd + 1 + this.format.oidBytes;
  }

  sameOid(other: TreeCursor): boolean {
    for (let at = 0; at < this.format.oidBytes; at++) {
      if (this.bytes[this.oidAt + at] !== other.bytes[other.oidAt + at]) {
        return false;
      }
    }
    return true;
  }

  hasName(name: Uint8Array): boolean {
    if (this.nameEnd - this.nameAt !== name.length) {
      return false;
    }
    for (let at = 0; at < name.length; at++) {
      if (this.bytes[this.nameAt + at] !== name[at]) {
        return false;
      }
    }
    return true;
  }

  /** Moves to the entry of this name; false, and no longer valid, when there is none. */
  seek(name: Uint8Array): boolean {
    for (; this.valid; this.next()) {
      if (this.hasName(name)) {
        return true;
      }
    }
    return false;
  }

  /** Order of two entries in a tree: bytewise, a directory as if its name ended in a slash. */
  compare(other: TreeCursor): number {
    const length = this.nameEnd - this.nameAt;
    const otherLength = other.nameEnd - other.nameAt;
    for (let at = 0; at <= Math.max(length, otherLength); at++) {
      const difference = this.#keyByte(at, length) - other.#keyByte(at, otherLength);
      if (difference !== 0) {
        return difference;
      }
    }
    return 0;
  }

  oid(): Uint8Array {
    return this.bytes.slice(this.oidAt, this.oidAt + this.format.oidBytes);
  }

  name(): string {
    return Buffer.from(this.bytes.buffer, this.bytes.byteOffset, this.bytes.byteLength).toString(
      "utf8",
      this.nameAt,
      this.nameEnd,
    );
  }

  #keyByte(at: number, length: number): number {
    if (at < length) {
      return this.bytes[this.nameAt + at]!;
    }
    return at === length && this.isTree ? 0x2f : 0;
  }
}
