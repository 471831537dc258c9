import { hashObject, hashPieces } from "../objects/hash-object.ts";
import { ObjectType } from "../objects/object-type.ts";
import { bytesToHex } from "../objects/oid.ts";
import type { ObjectDatabase } from "../odb/object-database.ts";
import { filedPieces, holdIfSmall, type FiledBytes } from "../pack/filed-bytes.ts";

export interface NewObject {
  readonly type: ObjectType;
  readonly bytes: Uint8Array | FiledBytes;
  /** hexadecimal */
  readonly oid: string;
}

/** Objects to be written: each once, and none that the repository has. */
export class NewObjects {
  readonly #objects = new Map<string, NewObject>();

  constructor(private readonly odb: ObjectDatabase) {}

  /** Returns the oid; `oid` is for callers who have it already. */
  add(type: ObjectType, bytes: Uint8Array, oid = bytesToHex(hashObject(this.odb.format, type, bytes))): string {
    return this.#keep({ type, bytes, oid });
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

  #keep(object: NewObject): string {
    const { oid } = object;
    if (!this.#objects.has(oid) && this.odb.findHex(oid) < 0) {
      this.#objects.set(oid, object);
    }
    return oid;
  }
}
