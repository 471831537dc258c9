import { hashObject } from "../objects/hash-object.ts";
import type { ObjectType } from "../objects/object-type.ts";
import { bytesToHex } from "../objects/oid.ts";
import type { ObjectDatabase } from "../odb/object-database.ts";

export interface NewObject {
  readonly type: ObjectType;
  readonly bytes: Uint8Array;
  /** hexadecimal */
  readonly oid: string;
}

/** Objects to be written: each once, and none that the repository has. */
export class NewObjects {
  readonly #objects = new Map<string, NewObject>();

  constructor(private readonly odb: ObjectDatabase) {}

  /** Returns the oid; `oid` is for callers who have it already. */
  add(type: ObjectType, bytes: Uint8Array, oid = bytesToHex(hashObject(this.odb.format, type, bytes))): string {
    if (!this.#objects.has(oid) && this.odb.findHex(oid) < 0) {
      this.#objects.set(oid, { type, bytes, oid });
    }
    return oid;
  }

  get list(): readonly NewObject[] {
    return [...this.#objects.values()];
  }
}
