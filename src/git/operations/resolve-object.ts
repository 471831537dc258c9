import { peel } from "../graph/peel.ts";
import { typeName, type ObjectTypeName } from "../objects/object-type.ts";
import { findByPrefix } from "../tree/find-by-prefix.ts";
import type { OpenRepository } from "./open-repository.ts";

export interface ResolveObjectArgs {
  /** hexadecimal digits of an oid, at least 4; all of them or the first ones */
  readonly name: string;
}

export interface ResolveObjectResult {
  readonly oid: string;
  readonly type: ObjectTypeName;
  /** what a chain of annotated tags ends at; the object itself when it is no tag */
  readonly peeled: string;
  readonly peeledType: ObjectTypeName;
}

/** The object that a whole or abbreviated oid names; null when there is none, or when several begin so. */
export function resolveObject(repository: OpenRepository, args: ResolveObjectArgs): ResolveObjectResult | null {
  const { odb, format } = repository;
  const name = args.name.toLowerCase();
  if (name.length < 4 || name.length > format.hexLength || !/^[0-9a-f]+$/.test(name)) {
    return null;
  }
  const position = name.length === format.hexLength ? odb.findHex(name) : findByPrefix(odb, name);
  if (position < 0) {
    return null;
  }
  const end = peel(odb, position);
  return {
    oid: odb.hexAt(position),
    type: typeName(odb.typeAt(position)),
    peeled: odb.hexAt(end.position),
    peeledType: typeName(end.type),
  };
}
