import { hashObject } from "../objects/hash-object.ts";
import { CorruptObject } from "../objects/errors.ts";
import { ObjectType, type GitObject } from "../objects/object-type.ts";
import { bytesToHex, hexToBytes } from "../objects/oid.ts";
import { FileMode, parseTree } from "../objects/tree.ts";
import { MissingObject, type ObjectDatabase } from "../odb/object-database.ts";
import type { NewObjects } from "../edit/new-objects.ts";
import type { Likeness } from "../pack/write-pack.ts";

interface OverlaidObject extends GitObject {
  readonly like?: Likeness | undefined;
}

/** Merged files and trees that are not in the repository, at positions behind its own; nothing of it is written. */
export class ObjectOverlay {
  #numbers = new Map<string, number>();
  #objects: OverlaidObject[] = [];

  constructor(readonly db: ObjectDatabase) {}

  /** Takes in an object, unless it is there; returns its oid. `like`: one with nearly the same bytes. */
  add(type: ObjectType, bytes: Uint8Array, like?: Likeness): string {
    const oid = bytesToHex(hashObject(this.db.format, type, bytes));
    if (!this.#numbers.has(oid) && this.db.findHex(oid) < 0) {
      this.#numbers.set(oid, this.#objects.push({ type, bytes, like }) - 1);
    }
    return oid;
  }

  /** As `ObjectDatabase.find`. */
  find(oid: Uint8Array): number {
    const position = this.db.find(oid);
    const number = position >= 0 || this.#objects.length === 0 ? undefined : this.#numbers.get(bytesToHex(oid));
    return number === undefined ? position : this.db.size + number;
  }

  sizeAt(position: number): number {
    return position < this.db.size ? this.db.sizeAt(position) : this.#objects[position - this.db.size]!.bytes.length;
  }

  read(position: number): GitObject {
    return position < this.db.size ? this.db.read(position) : this.#objects[position - this.db.size]!;
  }

  /** The content of an object that has to be of a type. Throws MissingObject, CorruptObject, CorruptPack. */
  content(oid: string, type: ObjectType): Uint8Array {
    const object = this.read(this.#position(oid));
    if (object.type !== type) {
      throw new CorruptObject(`Cannot merge ${oid}: it is not an object of the type that its tree says`);
    }
    return object.bytes;
  }

  /** The size of an object, bytes. Throws MissingObject, CorruptPack. */
  sizeOf(oid: string): number {
    return this.sizeAt(this.#position(oid));
  }

  #position(oid: string): number {
    const position = this.find(hexToBytes(oid));
    if (position < 0) {
      throw new MissingObject(oid);
    }
    return position;
  }

  /** Adds to `objects` what is new of a tree and below it. */
  collect(tree: string, objects: NewObjects): void {
    const number = this.#numbers.get(tree);
    if (number === undefined) {
      return;
    }
    const { type, bytes, like } = this.#objects[number]!;
    objects.add(type, bytes, tree, like);
    if (type === ObjectType.tree) {
      for (const entry of parseTree(bytes, this.db.format)) {
        if (entry.mode !== FileMode.submodule) {
          this.collect(entry.oid, objects);
        }
      }
    }
  }

  /** Forgets all but a tree and what is below it. Positions that were found before mean nothing any more. */
  keepOnly(tree: string): void {
    const numbers = new Map<string, number>();
    const objects: OverlaidObject[] = [];
    const keep = (oid: string): void => {
      const number = this.#numbers.get(oid);
      if (number === undefined || numbers.has(oid)) {
        return;
      }
      const { type, bytes } = this.#objects[number]!;
      numbers.set(oid, objects.push({ type, bytes }) - 1);
      for (const entry of type === ObjectType.tree ? parseTree(bytes, this.db.format) : []) {
        keep(entry.oid);
      }
    };
    keep(tree);
    this.#numbers = numbers;
    this.#objects = objects;
  }
}
