import { ObjectType, typeName, type ObjectTypeName } from "../objects/object-type.ts";
import type { Signature } from "../objects/signature.ts";
import { shownObject } from "../log/shown-text.ts";
import { parseTag } from "../objects/tag.ts";
import type { OpenRepository } from "./open-repository.ts";

export interface ReadTagArgs {
  readonly oid: string;
}

export interface TagRecord {
  readonly oid: string;
  /** what it names, which may be a tag again */
  readonly object: string;
  readonly objectType: ObjectTypeName;
  readonly name: string;
  readonly tagger: Signature | null;
  /** with the signature where there is one; of a long one, as much as is shown (see log/shown-text.ts) */
  readonly message: string;
}

/** An annotated tag; null when the oid is absent or names something else. Throws CorruptObject. */
export function readTag(repository: OpenRepository, args: ReadTagArgs): TagRecord | null {
  const { odb, format } = repository;
  const position = odb.findHex(args.oid);
  if (position < 0 || odb.typeAt(position) !== ObjectType.tag) {
    return null;
  }
  const tag = parseTag(shownObject(odb.read(position).bytes), format);
  return {
    oid: args.oid,
    object: tag.object,
    objectType: typeName(tag.type),
    name: tag.name,
    tagger: tag.tagger ?? null,
    message: tag.message,
  };
}
