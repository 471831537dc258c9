import { hashObject, hashPieces } from "../objects/hash-object.ts";
import { ObjectType } from "../objects/object-type.ts";
import { bytesToHex } from "../objects/oid.ts";
import type { ObjectDatabase } from "../odb/object-database.ts";
import { filedPieces, holdIfSmall, type FiledBytes } from "../pack/filed-bytes.ts";
import type { Likeness, WritableObject } from "../pack/write-pack.ts";

export interface NewObject extends WritableObject {
  /** hexadecimal */
  readonly oid: string;
}

/** Objects to be written: each once, and none that the repository has. */
export class NewObjects {
  readonly #objects = new Map<string, NewObject>();
  readonly #taken = new Set<string>();

  constructor(private readonly odb: ObjectDatabase) {}

  /** Returns the oid; `oid` is for callers who have it already. */
  add(
    type: ObjectType,
    bytes: Uint8Array,
    oid = bytesToHex(hashObject(this.odb.format, type, bytes)),
    like?: Likeness,
  ): string {
    return this.#keep({ type, bytes, oid, like });
  }

  /** A blob whose content may be in a file, which is read again when it is written. */
  addBlob(content: Uint8Array | FiledBytes): string {
    const bytes = holdIfSmall(content);
    if (bytes instanceof Uint8Array) {
      return this.add(ObjectType.blob, bytes);
    }
    const oid = bytesToHex(hashPieces(this.odb.format, ObjectType.blob, bytes.size, filedPieces(bytes)));
    return this.#keep({ type: ObjectType.blob, bytes, oid });
  }

  get list(): readonly NewObject[] {
    return [...this.#objects.values()];
  }

  /** Returns the objects that were added since the last call. They are not kept. */
  take(): readonly NewObject[] {
    const { list } = this;
    for (const { oid } of list) {
      this.#taken.add(oid);
    }
    this.#objects.clear();
    return list;
  }

  #keep(object: NewObject): string {
    const { oid } = object;
    if (!this.#objects.has(oid) && !this.#taken.has(oid) && this.odb.findHex(oid) < 0) {
      this.#objects.set(oid, object);
    }
    return oid;
  }
}
