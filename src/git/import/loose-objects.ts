import { existsSync, readFileSync, readdirSync } from "node:fs";
import { inflateSync } from "node:zlib";
import { messageOf } from "../../lib/errors.ts";
import { CorruptObject } from "../objects/errors.ts";
import { hashObject } from "../objects/hash-object.ts";
import type { ObjectFormat } from "../objects/object-format.ts";
import { typeOfName, type GitObject } from "../objects/object-type.ts";
import { bytesToHex } from "../objects/oid.ts";
import { largestObjectBytes } from "../pack/pack-limits.ts";

/**
 * The loose objects below an `objects` directory: `<aa>/<rest of the oid>`, a zlib stream of `<type> <size>`, a zero and
 * the content. One at a time is in memory. Throws CorruptObject for one that is not what its name says.
 */
export function* readLooseObjects(directory: string, format: ObjectFormat): Generator<GitObject> {
  for (let first = 0; first < 256; first++) {
    const prefix = first.toString(16).padStart(2, "0");
    const folder = `${directory}/${prefix}`;
    for (const name of existsSync(folder) ? readdirSync(folder) : []) {
      if (name.length === format.hexLength - 2 && /^[0-9a-f]+$/.test(name)) {
        yield readLoose(`${folder}/${name}`, prefix + name, format);
      }
    }
  }
}

function readLoose(path: string, oid: string, format: ObjectFormat): GitObject {
  let inflated: Buffer;
  try {
    inflated = inflateSync(readFileSync(path), { maxOutputLength: largestObjectBytes });
  } catch (error) {
    throw new CorruptObject(`The loose object "${path}" cannot be inflated: ${messageOf(error)}`);
  }
  const zero = inflated.indexOf(0);
  const [typeText = "", size = ""] = inflated.toString("latin1", 0, Math.max(0, zero)).split(" ");
  const type = typeOfName(typeText);
  const bytes = inflated.subarray(zero + 1);
  if (
    zero < 0 ||
    type === null ||
    size !== String(bytes.length) ||
    bytesToHex(hashObject(format, type, bytes)) !== oid
  ) {
    throw new CorruptObject(`The loose object "${path}" is damaged`);
  }
  return { type, bytes };
}
