import { describe, expect, test } from "bun:test";
import { CorruptObject } from "./errors.ts";
import { hashObject } from "./hash-object.ts";
import { sha1, sha256 } from "./object-format.ts";
import { ObjectType } from "./object-type.ts";
import { bytesToHex } from "./oid.ts";
import { FileMode, forEachTreeEntry, parseTree, writeTree, type TreeEntry } from "./tree.ts";

const oid = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";

describe("a tree", () => {
  test("is sorted as git sorts: a directory as if its name ended in a slash", () => {
    const entries: TreeEntry[] = [
      { mode: FileMode.tree, name: "lib", oid },
      { mode: FileMode.file, name: "lib.ts", oid },
      { mode: FileMode.file, name: "lib0", oid },
      { mode: FileMode.file, name: "lib-a", oid },
      { mode: FileMode.submodule, name: "Z", oid },
      { mode: FileMode.symlink, name: "é", oid },
    ];
    const bytes = writeTree(entries, sha1);
    expect(parseTree(bytes, sha1).map(({ name }) => name)).toEqual(["Z", "lib-a", "lib.ts", "lib", "lib0", "é"]);
    expect(writeTree(parseTree(bytes, sha1).toReversed(), sha1)).toEqual(bytes);
  });

  test("keeps names that are not UTF-8", () => {
    const rawName = Uint8Array.of(0x61, 0xff, 0x62);
    const bytes = writeTree([{ mode: FileMode.file, name: "?", rawName, oid }], sha1);
    const [entry] = parseTree(bytes, sha1);
    expect(entry!.rawName).toEqual(rawName);
    expect(writeTree([entry!], sha1)).toEqual(bytes);
    expect(parseTree(writeTree([{ mode: FileMode.file, name: "\uFFFD", oid }], sha1), sha1)[0]).toEqual({
      mode: FileMode.file,
      name: "\uFFFD",
      oid,
    });
  });

  test("has longer oids in SHA-256 repositories", () => {
    const long = "a1".repeat(32);
    expect(parseTree(writeTree([{ mode: FileMode.executable, name: "run", oid: long }], sha256), sha256)).toEqual([
      { mode: FileMode.executable, name: "run", oid: long },
    ]);
  });

  test("can be left early", () => {
    const bytes = writeTree(
      ["a", "b", "c"].map((name) => ({ mode: FileMode.file, name, oid })),
      sha1,
    );
    let visited = 0;
    forEachTreeEntry(bytes, sha1, () => ++visited < 2);
    expect(visited).toBe(2);
  });

  test("that is cut off anywhere inside an entry cannot be read", () => {
    const bytes = writeTree(
      ["a", "b"].map((name) => ({ mode: FileMode.file, name, oid })),
      sha1,
    );
    for (let length = 0; length < bytes.length; length++) {
      const read = (): TreeEntry[] => parseTree(bytes.subarray(0, length), sha1);
      if (length === 0 || length === bytes.length / 2) expect(read().length).toBe(length === 0 ? 0 : 1);
      else expect(read).toThrow(CorruptObject);
    }
  });
});

function name(type: ObjectType, bytes: Uint8Array, format = sha1): string {
  return bytesToHex(hashObject(format, type, bytes));
}

test("objects are named as git names them", () => {
  expect(name(ObjectType.blob, new Uint8Array(0))).toBe(oid);
  expect(name(ObjectType.tree, new Uint8Array(0))).toBe("4b825dc642cb6eb9a060e54bf8d69288fbee4904");
  expect(name(ObjectType.blob, Buffer.from("hello\n"), sha256)).toBe(
    "2cf8d83d9ee29543b34a87727421fdecb7e3f3a183d337639025de576db9ebb4",
  );
  expect(name(ObjectType.blob, new Uint8Array(100_000))).toBe("f18c9a678f421d5c52f6c5acc23670267d5f632f");
});
