import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sha1 } from "../objects/object-format.ts";
import { hashObject } from "../objects/hash-object.ts";
import { ObjectType, type GitObject } from "../objects/object-type.ts";
import { bytesToHex, hexToBytes } from "../objects/oid.ts";
import { FileMode, writeTree, type TreeEntry } from "../objects/tree.ts";
import { EngineCaches } from "../odb/engine-caches.ts";
import { MissingObject, ObjectDatabase } from "../odb/object-database.ts";
import { writePack } from "../pack/write-pack.ts";
import { diffTrees } from "./tree-diff.ts";

const objects: GitObject[] = [];
const blob = (content: string): string => bytesToHex(hashObject(sha1, ObjectType.blob, Buffer.from(content)));
const file = (name: string, content: string, mode: number = FileMode.file): TreeEntry => ({
  name,
  mode,
  oid: blob(content),
});
function tree(name: string, ...entries: TreeEntry[]): TreeEntry {
  const bytes = writeTree(entries, sha1);
  objects.push({ type: ObjectType.tree, bytes });
  return { name, mode: FileMode.tree, oid: bytesToHex(hashObject(sha1, ObjectType.tree, bytes)) };
}

const absent = { name: "gone", mode: FileMode.tree, oid: "1".repeat(40) };
const same = tree("same", file("x", "x"));
const before = tree(
  "",
  file("a", "1"),
  file("a.txt", "1"),
  tree("d", file("e", "1"), same),
  file("mode", "1"),
  file("z", "1"),
);
const after = tree(
  "",
  tree("a", file("b", "1")),
  file("a.txt", "2"),
  tree("d", file("f", "1"), same),
  file("mode", "1", FileMode.executable),
  file("z", "1"),
);
const groupWritable = tree("", file("z", "1", 0o100664));
const plain = tree("", file("z", "1"));
const damaged = tree("", file("z", "1"), absent);

let directory = "";
let odb: ObjectDatabase;
const caches = new EngineCaches(1 << 20);

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "stithy-diff-"));
  odb = ObjectDatabase.open(sha1, [writePack(sha1, join(directory, "trees.pack"), objects).packPath], caches);
});

afterAll(() => {
  odb[Symbol.dispose]();
  caches[Symbol.dispose]();
  rmSync(directory, { recursive: true });
});

const oid = (entry: TreeEntry | null): Uint8Array | null => (entry === null ? null : hexToBytes(entry.oid));
const names = (left: TreeEntry | null, right: TreeEntry | null): string[] => {
  return [...diffTrees(odb, oid(left), oid(right))].map(
    (change) => `${change.before === null ? "A" : change.after === null ? "D" : "M"} ${change.path}`,
  );
};

describe("diffTrees", () => {
  test("names files that were added, removed, changed, or became a directory or executable", () => {
    expect(names(before, after)).toEqual(["D a", "M a.txt", "A a/b", "D d/e", "A d/f", "M mode"]);
    expect(names(after, before)).toEqual(["A a", "M a.txt", "D a/b", "A d/e", "D d/f", "M mode"]);
  });

  test("takes an absent tree for an empty one", () => {
    expect(names(null, after)).toEqual(["A a.txt", "A a/b", "A d/f", "A d/same/x", "A mode", "A z"]);
    expect(names(plain, null)).toEqual(["D z"]);
    expect(names(null, null)).toEqual([]);
  });

  test("sees no difference in a mode that old versions of git wrote", () => {
    expect(names(groupWritable, plain)).toEqual([]);
  });

  test("fails on a subtree that is missing, and only when it has to look into it", () => {
    expect(names(damaged, damaged)).toEqual([]);
    expect(() => names(plain, damaged)).toThrow(MissingObject);
  });
});
