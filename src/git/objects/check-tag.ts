import { checkSignature, headerPart, HeaderLines, isOidValue } from "./check-headers.ts";
import type { ObjectFormat } from "./object-format.ts";
import { typeOfName } from "./object-type.ts";

/** Checks an annotated tag by the rules of `git fsck --strict`. Returns the fault, or null. A tagger may be missing. */
export function checkTag(bytes: Uint8Array, format: ObjectFormat): string | null {
  const header = headerPart(bytes);
  if ("problem" in header) {
    return header.problem;
  }
  const lines = new HeaderLines(header.text);
  const object = lines.take("object");
  if (object === null) {
    return "missingObject: names no object";
  }
  if (!isOidValue(object, format)) {
    return "badObjectSha1: its object is no object id";
  }
  const type = lines.take("type");
  if (type === null) {
    return "missingTypeEntry: names no type";
  }
  if (typeOfName(type) === null) {
    return `badType: ${JSON.stringify(type.slice(0, 40))} is no type of object`;
  }
  if (lines.take("tag") === null) {
    return "missingTagEntry: has no name";
  }
  // git does not even parse what is shorter.
  if (bytes.length < format.hexLength + 24) {
    return "badTag: is shorter than any tag";
  }
  const tagger = lines.take("tagger");
  return tagger === null ? null : checkSignature(tagger);
}
