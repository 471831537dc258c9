import { CorruptObject } from "./errors.ts";
import { decodeText, parseHeaders, writeHeader, type Header } from "./headers.ts";
import type { ObjectFormat } from "./object-format.ts";
import { typeName, typeOfName, type ObjectType } from "./object-type.ts";
import { isOid } from "./oid.ts";
import { parseSignature, writeSignature, type Signature } from "./signature.ts";

/**
 * An annotated tag: the headers `object`, `type`, `tag` and `tagger`, an empty line and the message. A signature is not
 * a header here: it stands at the end of the message.
 */
export interface Tag {
  readonly object: string;
  readonly type: ObjectType;
  readonly name: string;
  /** Absent in tags from before git recorded it. */
  readonly tagger?: Signature;
  readonly extraHeaders: readonly Header[];
  /** With the signature, where there is one. */
  readonly message: string;
}

/** Throws CorruptObject if the object, its type or the tag's name is missing or malformed. */
export function parseTag(bytes: Uint8Array, format: ObjectFormat): Tag {
  const { headers, message } = parseHeaders(bytes);
  let object: string | undefined;
  let type: ObjectType | null = null;
  let name: string | undefined;
  let tagger: Signature | undefined;
  const extraHeaders: Header[] = [];
  for (const header of headers) {
    const [key, value] = header;
    if (key === "object" && object === undefined) {
      // git reads capital digits, too.
      object = value.toLowerCase();
    } else if (key === "type" && type === null) {
      type = typeOfName(value);
    } else if (key === "tag" && name === undefined) {
      name = value;
    } else if (
      key === "tagger" &&
      tagger === undefined &&
      value.lastIndexOf(">") > value.indexOf("<") &&
      value.includes("<")
    ) {
      // Only right behind the name do the checks of a push look at it.
      tagger = parseSignature(value);
    } else {
      extraHeaders.push(header);
    }
  }
  if (object === undefined || !isOid(object, format) || type === null || name === undefined) {
    throw new CorruptObject("Cannot read a tag without object, type and name");
  }
  return {
    object,
    type,
    name,
    ...(tagger === undefined ? {} : { tagger }),
    extraHeaders,
    message: decodeText(message),
  };
}

export function writeTag(tag: Tag): Uint8Array {
  let text = writeHeader("object", tag.object) + writeHeader("type", typeName(tag.type)) + writeHeader("tag", tag.name);
  if (tag.tagger !== undefined) {
    text += writeHeader("tagger", writeSignature(tag.tagger));
  }
  for (const [name, value] of tag.extraHeaders) {
    text += writeHeader(name, value);
  }
  return Buffer.from(`${text}\n${tag.message}`, "utf8");
}
