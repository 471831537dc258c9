import { afterAll, expect, test } from "bun:test";
import { linkSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hashObject } from "../objects/hash-object.ts";
import { objectFormat } from "../objects/object-format.ts";
import { ObjectType } from "../objects/object-type.ts";
import { bytesToHex } from "../objects/oid.ts";
import { indexPathOf } from "../pack/pack-paths.ts";
import { writePack } from "../pack/write-pack.ts";
import { EngineCaches } from "./engine-caches.ts";
import { ObjectDatabase } from "./object-database.ts";

const directory = mkdtempSync(join(tmpdir(), "stithy-odb-"));
afterAll(() => rmSync(directory, { recursive: true }));
const format = objectFormat("sha1");

/** The path of a pack of blobs, each of which is a number, and their oids. */
function packOf(name: string, numbers: readonly number[]): { path: string; oids: string[] } {
  const objects = numbers.map((number) => {
    const bytes = Buffer.from(String(number));
    return { type: ObjectType.blob, bytes, oid: bytesToHex(hashObject(format, ObjectType.blob, bytes)) } as const;
  });
  const path = join(directory, `${name}.pack`);
  writePack(format, path, objects);
  return { path, oids: objects.map(({ oid }) => oid) };
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

test("an object is found in the first pack that has it, however many packs there are", () => {
  using caches = new EngineCaches(32 << 20);
  const large = packOf("large", range(0, 20_000));
  // Each has an object of its own, one that the large pack has, and one that all of them have.
  const small = range(0, 40).map((number) => packOf(`small-${number}`, [100_000 + number, number, 200_000]));
  for (const count of [0, 1, 7, 8, 9, 40]) {
    const chosen = small.slice(0, count);
    using odb = ObjectDatabase.open(
      format,
      [...chosen, large].map(({ path }) => path),
      caches,
    );
    for (const [number, { oids }] of chosen.entries()) {
      const [own = "", old = "", shared = ""] = oids;
      expect(odb.packNumberOf(odb.findHex(own))).toBe(number);
      expect(odb.packNumberOf(odb.findHex(old))).toBe(number);
      expect(odb.packNumberOf(odb.findHex(shared))).toBe(0);
      // From a pack on, it is the first one behind that.
      expect(odb.packNumberOf(odb.find(Buffer.from(old, "hex"), 0, count))).toBe(count);
    }
    for (const oid of large.oids.slice(0, 100)) {
      const position = odb.findHex(oid);
      expect(odb.hexAt(position)).toBe(oid);
      expect(odb.canonical(odb.find(Buffer.from(oid, "hex"), 0, count))).toBe(position);
    }
    expect(large.oids.slice(count).every((oid) => odb.hexAt(odb.findHex(oid)) === oid)).toBe(true);
    expect(odb.findHex("0".repeat(40))).toBe(-1);
    expect(odb.findHex("f".repeat(40))).toBe(-1);
  }
});

test("packs stay open for the next request, and the latest of them where there are too many", () => {
  const one = packOf("one", [300_000]).path;
  const paths = range(0, 1100).map((number) => {
    const path = join(directory, `one-${number}.pack`);
    linkSync(one, path);
    linkSync(indexPathOf(one), indexPathOf(path));
    return path;
  });
  using caches = new EngineCaches(1 << 30);
  const [first = "", second = ""] = paths;
  const opened = caches.acquirePack(format, first);
  expect(caches.acquirePack(format, first)).toBe(opened);
  caches.releasePack(first);
  // Somebody uses it still.
  paths.slice(1).forEach((path) => caches.acquirePack(format, path));
  const others = caches.acquirePack(format, second);
  caches.releasePack(second);
  paths.slice(1).forEach((path) => caches.releasePack(path));
  expect(caches.acquirePack(format, first)).toBe(opened);
  // Of the 1,099 that nobody uses, 1,024 are kept: the second went first.
  expect(caches.acquirePack(format, second)).not.toBe(others);
  using few = new EngineCaches(0);
  const gone = few.acquirePack(format, first);
  few.releasePack(first);
  expect(few.acquirePack(format, first)).not.toBe(gone);
});

test("the index of a small pack takes little memory", () => {
  using caches = new EngineCaches(1 << 20);
  expect(caches.acquirePack(format, packOf("tiny", [1, 2, 3]).path).heldBytes).toBeLessThan(4096);
});
