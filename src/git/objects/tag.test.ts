import { expect, test } from "bun:test";
import { CorruptObject } from "./errors.ts";
import { sha1 } from "./object-format.ts";
import { ObjectType } from "./object-type.ts";
import { parseTag, writeTag } from "./tag.ts";

const object = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

test("a tag is written as it was read", () => {
  const text = `object ${object}\ntype tree\ntag v1.0\ntagger A <a@b> 1700000000 -0330\n\nmessage\n-----BEGIN PGP SIGNATURE-----\n`;
  const tag = parseTag(Buffer.from(text), sha1);
  expect(tag).toMatchObject({
    object,
    type: ObjectType.tree,
    name: "v1.0",
    tagger: { name: "A", offsetMinutes: -210 },
  });
  expect(Buffer.from(writeTag(tag)).toString()).toBe(text);
});

test("an old tag has no tagger", () => {
  const text = `object ${object}\ntype commit\ntag v0\n\nmessage\n`;
  const tag = parseTag(Buffer.from(text), sha1);
  expect(tag.tagger).toBeUndefined();
  expect(Buffer.from(writeTag(tag)).toString()).toBe(text);
});

test("a tag of an unknown type, or of nothing, cannot be read", () => {
  expect(() => parseTag(Buffer.from(`object ${object}\ntype thing\ntag v\n\n`), sha1)).toThrow(CorruptObject);
  expect(() => parseTag(Buffer.from(`type commit\ntag v\n\n`), sha1)).toThrow(CorruptObject);
});
