import { hashObject } from "../../src/git/objects/hash-object.ts";
import { sha1 } from "../../src/git/objects/object-format.ts";
import { ObjectType } from "../../src/git/objects/object-type.ts";
import { bytesToHex } from "../../src/git/objects/oid.ts";
import { EntryKind } from "../../src/git/pack/pack-entry.ts";
import type { RawEntry } from "./raw-pack.ts";

/** Objects as entries of a pack, written byte by byte, so that they can be wrong in any way. */

export const blob = (data: Uint8Array | string): RawEntry => ({ kind: ObjectType.blob, data: Buffer.from(data) });
export const oidOf = ({ kind, data: bytes }: RawEntry): string =>
  bytesToHex(hashObject(sha1, kind as ObjectType, bytes));
export const refDelta = (baseOid: string, delta: Uint8Array): RawEntry => ({
  kind: EntryKind.refDelta,
  baseOid: Buffer.from(baseOid, "hex"),
  data: delta,
});

export function tree(
  ...entries: readonly (readonly [mode: string, name: string, object: RawEntry | string])[]
): RawEntry {
  const bytes = entries.map(([mode, name, object]) =>
    Buffer.concat([
      Buffer.from(`${mode} ${name}\0`),
      Buffer.from(typeof object === "string" ? object : oidOf(object), "hex"),
    ]),
  );
  return { kind: ObjectType.tree, data: Buffer.concat(bytes) };
}

export function commit(root: RawEntry | string, parent?: string): RawEntry {
  const lines = [
    `tree ${typeof root === "string" ? root : oidOf(root)}`,
    ...(parent === undefined ? [] : [`parent ${parent}`]),
    "author A <a@example.org> 1 +0000",
    "committer A <a@example.org> 1 +0000",
    "",
    "m",
    "",
  ];
  return { kind: ObjectType.commit, data: Buffer.from(lines.join("\n")) };
}
