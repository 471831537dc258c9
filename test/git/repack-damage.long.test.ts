import { afterAll, describe, expect, test } from "bun:test";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { sha1 } from "../../src/git/objects/object-format.ts";
import { ObjectType, type GitObject } from "../../src/git/objects/object-type.ts";
import { EngineCaches } from "../../src/git/odb/engine-caches.ts";
import { ObjectDatabase } from "../../src/git/odb/object-database.ts";
import { PackIndex } from "../../src/git/pack/pack-index.ts";
import { indexPack } from "../../src/git/index-pack/index-pack.ts";
import { repack, type DeltaChoice } from "../../src/git/repack/repack.ts";
import { encodeDelta } from "../../src/git/pack/delta-encode.ts";
import { EntryKind } from "../../src/git/pack/pack-entry.ts";
import { randomFrom } from "../support/random.ts";
import { GitFixture } from "./git-fixture.ts";
import { rawPack } from "./raw-pack.ts";

/** A stored pack in which a byte is wrong: repacking it fails, and never makes a sound pack of it that holds something else. */

const fixture = new GitFixture();
afterAll(() => fixture[Symbol.dispose]());

const texts = Array.from({ length: 6 }, (_, version) =>
  Buffer.from(
    Array.from(
      { length: 60 },
      (_, line) => `line ${line} of ${line === version * 7 ? "another" : "the same"} version\n`,
    ).join(""),
  ),
);
const blob = (bytes: Uint8Array): { kind: GitObject["type"]; data: Uint8Array } => ({
  kind: ObjectType.blob,
  data: bytes,
});
const good = fixture.path("good.pack");
/** The base of the fourth entry is the second one, or another of the same length. */
const packOf = (base: number): Buffer =>
  rawPack([
    blob(texts[0]!),
    blob(texts[1]!),
    { kind: EntryKind.ofsDelta, base: 0, data: encodeDelta(texts[0]!, texts[2]!, 1e6)! },
    { kind: EntryKind.ofsDelta, base, data: encodeDelta(texts[1]!, texts[3]!, 1e6)! },
    blob(texts[4]!),
    blob(randomFrom(3).bytes(500)),
  ]);
writeFileSync(good, packOf(1));
indexPack({
  format: sha1,
  path: good,
  limits: { objectBytes: 1e6, totalInflatedBytes: 1e7, inflationRatio: 1000, deltaDepth: 50, objectCount: 100 },
  check: "none",
});
const whole = readFileSync(good);

/** Repacks these bytes under the index of the good ones; answers the objects of the new pack, or what was thrown. */
function repacked(bytes: Uint8Array, deltas: DeltaChoice, largeBytes: number): string[] | string {
  const path = fixture.path("damaged.pack");
  writeFileSync(path, bytes);
  copyFileSync(good.replace(".pack", ".idx"), path.replace(".pack", ".idx"));
  using caches = new EngineCaches(1e6, 1e6, largeBytes);
  let made: string;
  try {
    using database = ObjectDatabase.open(sha1, [path], caches);
    const { packs } = repack(database, caches, {
      tips: null,
      keep: null,
      deltas,
      temporaryPath: () => fixture.path("new.pack"),
      step: () => {},
    });
    made = packs[0]!.packPath;
  } catch (error) {
    return (error as { code: string }).code;
  }
  const names = fixture.git(fixture.directory, ["index-pack", "--strict", "-o", fixture.path("git.idx"), made]);
  expect(names.length).toBeGreaterThan(0);
  const index = PackIndex.open(sha1, made.replace(".pack", ".idx"));
  return Array.from({ length: index.entryCount }, (_, position) =>
    Buffer.from(index.oidAt(position)).toString("hex"),
  ).sort();
}

describe.each<[DeltaChoice, number]>([
  ["stored", 1e9],
  ["search", 1e9],
  ["new", 1e9],
  ["stored", 0],
  ["new", 0],
])("with deltas that are %s, objects of more than %s bytes in pieces", (deltas, largeBytes) => {
  const objects = repacked(whole, deltas, largeBytes);

  test("a sound pack keeps its objects", () => {
    expect(objects).toBeArrayOfSize(6);
  });

  test("a delta that names another base, which it fits, ends the repack", () => {
    const misled = Buffer.concat([packOf(0).subarray(0, -20), whole.subarray(-20)]);
    expect(misled.length).toBe(whole.length);
    expect(["corrupt-pack", "corrupt-object"]).toContain(repacked(misled, deltas, largeBytes) as string);
  });

  test("the header of an entry that names another type or base, and every other wrong bit, end the repack", () => {
    const random = randomFrom(8);
    const index = PackIndex.open(sha1, good.replace(".pack", ".idx"));
    const headers = Array.from(
      { length: index.entryCount * 8 },
      (_, number) => [index.offsetAt(number >> 3), number & 7] as const,
    );
    // Behind the header of the pack, and before its checksum.
    const others = Array.from({ length: 30 }, () => [12 + random.below(whole.length - 32), random.below(8)] as const);
    for (const [at, bit] of [...headers, ...others]) {
      const bytes = Buffer.from(whole);
      bytes[at]! ^= 1 << bit;
      expect(["corrupt-pack", "corrupt-object"]).toContain(repacked(bytes, deltas, largeBytes) as string);
    }
  });
});

describe("an object that is read alone", () => {
  const index = PackIndex.open(sha1, good.replace(".pack", ".idx"));

  /** What each object holds according to these bytes, or what was thrown. */
  function contents(bytes: Uint8Array): (string | null)[] {
    const path = fixture.path("read.pack");
    writeFileSync(path, bytes);
    copyFileSync(good.replace(".pack", ".idx"), path.replace(".pack", ".idx"));
    return Array.from({ length: index.entryCount }, (_, position) => {
      using caches = new EngineCaches(1e6);
      using database = ObjectDatabase.open(sha1, [path], caches);
      try {
        return Buffer.from(database.readChecked(position).bytes).toString("hex");
      } catch (error) {
        expect((error as { code: string }).code).toBe("corrupt-pack");
        return null;
      }
    });
  }

  const expected = contents(whole);

  test("is never made of another base, which its delta fits", () => {
    const misled = contents(Buffer.concat([packOf(0).subarray(0, -20), whole.subarray(-20)]));
    expect(misled.filter((content) => content === null)).toBeArrayOfSize(1);
    expect(misled.filter((content, position) => content !== null && content !== expected[position])).toEqual([]);
  });

  test("has its own bytes or none, whichever bit of its header is wrong", () => {
    for (let number = 0; number < index.entryCount * 3 * 8; number++) {
      const bytes = Buffer.from(whole);
      bytes[index.offsetAt(Math.floor(number / 24)) + (number % 3)]! ^= 1 << (number & 7);
      expect(contents(bytes).filter((content, position) => content !== null && content !== expected[position])).toEqual(
        [],
      );
    }
  });
});
