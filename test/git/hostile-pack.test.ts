import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { hashObject } from "../../src/git/objects/hash-object.ts";
import { sha1 } from "../../src/git/objects/object-format.ts";
import { ObjectType, type GitObject } from "../../src/git/objects/object-type.ts";
import { bytesToHex } from "../../src/git/objects/oid.ts";
import { EngineCaches } from "../../src/git/odb/engine-caches.ts";
import { ObjectDatabase } from "../../src/git/odb/object-database.ts";
import { encodeDelta } from "../../src/git/pack/delta-encode.ts";
import { PackRejected, type PackRejection } from "../../src/git/pack/errors.ts";
import { indexPack } from "../../src/git/index-pack/index-pack.ts";
import type { IndexedPack } from "../../src/git/pack/indexed-pack.ts";
import { EntryKind } from "../../src/git/pack/pack-entry.ts";
import type { PackLimits } from "../../src/git/pack/pack-limits.ts";
import { writePack } from "../../src/git/pack/write-pack.ts";
import { randomFrom } from "../support/random.ts";
import { GitFixture } from "./git-fixture.ts";
import { rawPack, sealed, type RawEntry } from "./raw-pack.ts";
import { times } from "../support/thorough.ts";

const fixture = new GitFixture();
afterAll(() => fixture[Symbol.dispose]());

const generous: PackLimits = {
  objectBytes: 2e7,
  totalInflatedBytes: 1e8,
  inflationRatio: 100,
  deltaDepth: 50,
  objectCount: 10_000,
};
const path = fixture.path("received.pack");

function receive(bytes: Uint8Array, limits: Partial<PackLimits> = {}, bases?: ObjectDatabase): IndexedPack {
  writeFileSync(path, bytes);
  const inPieces = indexCopy(bytes, limits, bases);
  const options = {
    format: sha1,
    path,
    limits: { ...generous, ...limits },
    check: "none",
    ...(bases === undefined ? {} : { bases }),
  } as const;
  let indexed: IndexedPack;
  try {
    indexed = indexPack(options);
  } catch (error) {
    // What is damaged may be noticed otherwise.
    expect(error instanceof PackRejected && typeof inPieces).toBe("string");
    throw error;
  }
  // What completes a thin pack may be deflated otherwise.
  const isComplete = indexed.packBytes === bytes.length;
  expect(
    typeof inPieces === "string" || (isComplete && Buffer.compare(inPieces, readFileSync(indexed.indexPath)) !== 0)
      ? inPieces
      : "the same",
  ).toBe("the same");
  return indexed;
}

/** What comes of a pack of which hardly a blob is held as a whole: its index, or why it is refused. */
function indexCopy(
  bytes: Uint8Array,
  limits: Partial<PackLimits>,
  bases: ObjectDatabase | undefined,
): Uint8Array | PackRejection {
  const copy = path.replace(".pack", "-in-pieces.pack");
  writeFileSync(copy, bytes);
  try {
    const { indexPath } = indexPack({
      format: sha1,
      path: copy,
      limits: { ...generous, ...limits },
      check: "none",
      largeBlobBytes: 100,
      ...(bases === undefined ? {} : { bases }),
    });
    return readFileSync(indexPath);
  } catch (error) {
    if (error instanceof PackRejected) return error.reason;
    throw error;
  }
}

function reasonOf(
  bytes: Uint8Array,
  limits: Partial<PackLimits> = {},
  bases?: ObjectDatabase,
): PackRejection | "taken" {
  try {
    receive(bytes, limits, bases);
    return "taken";
  } catch (error) {
    if (error instanceof PackRejected) return error.reason;
    throw error;
  }
}

/** Versions of a text, each a little longer than the one before. */
const versions = Array.from({ length: 60 }, (_, version) =>
  Buffer.from(
    Array.from(
      { length: 30 + version },
      (_, line) => `line ${line}${line % 7 === version % 7 ? ` in version ${version}` : ""}\n`,
    ).join(""),
  ),
);

function blobOid(bytes: Uint8Array): Uint8Array {
  return hashObject(sha1, ObjectType.blob, bytes);
}

function whole(data: Uint8Array): RawEntry {
  return { kind: ObjectType.blob, data };
}

function refDelta(from: Uint8Array, to: Uint8Array): RawEntry {
  return { kind: EntryKind.refDelta, data: encodeDelta(from, to, 1e6)!, baseOid: blobOid(from) };
}

/** A chain of deltas, each on the version before. */
function chain(length: number): RawEntry[] {
  return versions
    .slice(0, length)
    .map((version, at) => (at === 0 ? whole(version) : refDelta(versions[at - 1]!, version)));
}

function expectVersions(bytes: Uint8Array, length: number, bases?: ObjectDatabase): IndexedPack {
  const indexed = receive(bytes, { deltaDepth: 100 }, bases);
  using caches = new EngineCaches(1e6);
  using database = ObjectDatabase.open(sha1, [path], caches);
  for (const version of versions.slice(0, length)) {
    expect(Buffer.compare(database.readHex(bytesToHex(blobOid(version))).bytes, version)).toBe(0);
  }
  return indexed;
}

describe("deltas in any order", () => {
  test("forwards, backwards and shuffled", () => {
    const entries = chain(60);
    expectVersions(rawPack(entries), 60);
    expectVersions(rawPack(entries.toReversed()), 60);
    const random = randomFrom(5);
    expectVersions(
      rawPack(
        entries
          .map((entry) => ({ entry, key: random.below(1e9) }))
          .toSorted((a, b) => a.key - b.key)
          .map(({ entry }) => entry),
      ),
      60,
    );
  });

  test("by distance on a base that is itself waiting", () => {
    const [a, b, c] = versions as [Buffer, Buffer, Buffer];
    const entries: RawEntry[] = [
      refDelta(a, b),
      { kind: EntryKind.ofsDelta, data: encodeDelta(b, c, 1e6)!, base: 0 },
      whole(a),
    ];
    expectVersions(rawPack(entries), 3);
  });

  test("whose objects are larger than what is kept in memory", () => {
    const random = randomFrom(6);
    const large = Array.from({ length: 4 }, () => Buffer.from(random.bytes(300_000)));
    const entries: RawEntry[] = large.map(whole);
    const results = large.map((bytes) => Buffer.concat([bytes.subarray(0, 250_000), Buffer.from("changed"), bytes]));
    for (const [at, bytes] of large.entries())
      entries.push({ kind: EntryKind.ofsDelta, data: encodeDelta(bytes, results[at]!, 1e6)!, base: at });
    receive(rawPack(entries));
    using caches = new EngineCaches(1e6);
    using database = ObjectDatabase.open(sha1, [path], caches);
    for (const result of results)
      expect(Buffer.compare(database.readHex(bytesToHex(blobOid(result))).bytes, result)).toBe(0);
  });

  // The limit is wide: each base is read from a file, and the disk may be busy with other tests.
  test("on more than a thousand bases, in the pack and outside of it", () => {
    const count = 1100;
    const pairs = Array.from({ length: count }, (_, number) => {
      const text = `${number} `.repeat(20);
      return { from: Buffer.from(text), to: Buffer.from(`${text}and more`) };
    });
    const old = fixture.path("many.pack");
    writePack(
      sha1,
      old,
      pairs.map(({ from }): GitObject => ({ type: ObjectType.blob, bytes: from })),
    );
    using caches = new EngineCaches(1e6);
    using bases = ObjectDatabase.open(sha1, [old], caches);
    const deltas = pairs.map(({ from, to }) => refDelta(from, to));
    expect(receive(rawPack(deltas), {}, bases).objectCount).toBe(2 * count);
    fixture.git(fixture.repository(), ["index-pack", "--strict", "-o", fixture.path("git.idx"), path]);
    expect(receive(rawPack([...deltas, ...pairs.map(({ from }) => whole(from))])).objectCount).toBe(2 * count);
    using received = ObjectDatabase.open(sha1, [path], caches);
    for (const { to } of pairs) {
      expect(Buffer.compare(received.readHex(bytesToHex(blobOid(to))).bytes, to)).toBe(0);
    }
  });

  test("a thin pack that holds one of its bases as a delta of another gets only what it lacks", () => {
    const [a, b, c] = versions as [Buffer, Buffer, Buffer];
    const old = fixture.path("old.pack");
    writePack(
      sha1,
      old,
      [a, b].map((bytes): GitObject => ({ type: ObjectType.blob, bytes })),
    );
    using caches = new EngineCaches(1e6);
    using bases = ObjectDatabase.open(sha1, [old], caches);
    expect(expectVersions(rawPack([refDelta(b, c), refDelta(a, b)]), 3, bases).objectCount).toBe(3);
    expect(expectVersions(rawPack([refDelta(a, b), refDelta(b, c)]), 3, bases).objectCount).toBe(3);
    fixture.git(fixture.repository(), ["index-pack", "--strict", "-o", fixture.path("git.idx"), path]);
    expect(reasonOf(rawPack([refDelta(b, a), refDelta(a, b)]), {}, bases)).toBe("malformed");
  });
});

const step = times(31, 3);
const damagedPacks = times(150, 1000);

describe("is refused", () => {
  const small = rawPack([whole(versions[0]!)]);
  const bomb = whole(new Uint8Array(15_000_000));
  const oid = blobOid(Buffer.from("absent"));
  test.each<[PackRejection, string, Uint8Array, Partial<PackLimits>?]>([
    ["truncated", "nothing", Buffer.alloc(0)],
    ["truncated", "less than a header", sealed(Buffer.from("PACK"))],
    ["malformed", "something else", sealed(Buffer.from("GIF89a and more"))],
    ["malformed", "a version of the future", sealed(Buffer.from("PACK\0\0\0\u0004\0\0\0\0", "latin1"))],
    ["checksum", "a wrong checksum", Buffer.concat([small.subarray(0, -1), Buffer.from([small.at(-1)! ^ 1])])],
    ["truncated", "more objects promised than there are", rawPack([whole(versions[0]!)], 2)],
    ["truncated", "an impossible number of objects", rawPack([], 4_000_000_000), { objectCount: 2 ** 32 }],
    ["too-large", "too many objects", rawPack([], 10_001)],
    ["trailing-bytes", "fewer objects promised than there are", rawPack([whole(versions[0]!), whole(versions[1]!)], 1)],
    ["trailing-bytes", "garbage behind it", Buffer.concat([small, Buffer.from("garbage")])],
    ["malformed", "a larger object than its header says", rawPack([{ ...whole(versions[0]!), size: 10 }])],
    ["malformed", "a smaller object than its header says", rawPack([{ ...whole(versions[0]!), size: 1e6 }])],
    [
      "malformed",
      "a kind that does not exist",
      sealed(Buffer.concat([small.subarray(0, 12), Buffer.from([0x50]), small.subarray(13, -20)])),
    ],
    ["too-large", "a large object", rawPack([bomb]), { objectBytes: 1e6 }],
    ["too-large", "much together", rawPack([bomb, whole(versions[1]!)]), { totalInflatedBytes: 1.5e7 }],
    [
      "too-large",
      "much in deltas of what is not there",
      rawPack(
        Array.from({ length: 16 }, () => ({
          kind: EntryKind.refDelta,
          baseOid: new Uint8Array(20),
          data: Buffer.alloc(1_000_000),
        })),
      ),
      { totalInflatedBytes: 1.5e7 },
    ],
    ["too-large", "a bomb", rawPack(Array.from({ length: 5 }, (_, at) => whole(Buffer.alloc(15_000_000, at))))],
    [
      "too-large",
      "a delta that makes a large object",
      rawPack([
        whole(versions[0]!),
        { kind: EntryKind.ofsDelta, base: 0, data: Buffer.from([0xff, 7, 0xff, 0xff, 0xff, 0xff, 0x7f]) },
      ]),
    ],
    ["too-large", "a long chain of deltas", rawPack(chain(52))],
    ["too-large", "a long chain of deltas, backwards", rawPack(chain(52).toReversed())],
    [
      "missing-base",
      "a base that is nowhere",
      rawPack([{ kind: EntryKind.refDelta, baseOid: oid, data: Buffer.from([1, 1, 1, 1]) }]),
    ],
    [
      "missing-base",
      "deltas that wait for each other",
      rawPack([
        { kind: EntryKind.refDelta, baseOid: oid, data: encodeDelta(versions[0]!, versions[1]!, 1e6)! },
        { kind: EntryKind.ofsDelta, base: 0, data: Buffer.from([1, 1, 1, 1]) },
      ]),
    ],
    [
      "malformed",
      "a base inside another entry",
      rawPack([whole(versions[0]!), { kind: EntryKind.ofsDelta, distance: 5, data: Buffer.from([1, 1, 1, 1]) }]),
    ],
    [
      "malformed",
      "a base before the pack",
      rawPack([{ kind: EntryKind.ofsDelta, distance: 100_000, data: Buffer.from([1, 1, 1, 1]) }]),
    ],
    [
      "malformed",
      "a delta for another base",
      rawPack([
        whole(versions[0]!),
        { kind: EntryKind.ofsDelta, base: 0, data: encodeDelta(versions[1]!, versions[2]!, 1e6)! },
      ]),
    ],
    [
      "malformed",
      "a delta without content",
      rawPack([whole(versions[0]!), { kind: EntryKind.ofsDelta, base: 0, data: Buffer.alloc(0) }]),
    ],
    ["duplicate", "an object twice", rawPack([whole(versions[0]!), whole(versions[0]!)])],
  ])("as %s: %s", (reason, _, bytes, limits = {}) => {
    expect(reasonOf(bytes, limits)).toBe(reason);
  });

  test("a pack that is cut off anywhere, with and without a checksum of what is left", () => {
    const bytes = rawPack(chain(12));
    for (let length = 0; length < bytes.length; length += step) {
      expect(["truncated", "checksum", "malformed"]).toContain(reasonOf(bytes.subarray(0, length)));
      if (length < bytes.length - 20)
        expect(["truncated", "malformed"]).toContain(reasonOf(sealed(bytes.subarray(0, length))));
    }
  });

  test("work without end: bases that are used again and again after they were forgotten", () => {
    const bases = Array.from({ length: 8 }, (_, seed) => Buffer.alloc(200_000, randomFrom(seed).bytes(1000)));
    const entries: RawEntry[] = bases.map(whole);
    for (let at = 0; at < 400; at++) {
      // The sizes of base and result, then: insert two bytes.
      entries.push({
        kind: EntryKind.ofsDelta,
        base: at % 8,
        data: Buffer.from([0xc0, 0x9a, 0x0c, 2, 2, at & 255, at >> 8]),
      });
    }
    writeFileSync(path, rawPack(entries));
    expect(() =>
      indexPack({ format: sha1, path, limits: { ...generous, totalInflatedBytes: 1e7 }, check: "none" }),
    ).toThrow("too much work");
    expect(receive(rawPack(entries)).objectCount).toBe(408);
    using caches = new EngineCaches(1e6);
    using database = ObjectDatabase.open(sha1, [path], caches);
    expect(database.readHex(bytesToHex(blobOid(Buffer.from([399 & 255, 1])))).bytes.length).toBe(2);
  });
});

test("an empty pack is fine", () => {
  expect(receive(rawPack([])).objectCount).toBe(0);
  using caches = new EngineCaches(1e6);
  using database = ObjectDatabase.open(sha1, [path], caches);
  expect(database.findHex("1".repeat(40))).toBe(-1);
});

/** The letter A in a zlib stream that is padded with empty blocks of five bytes each. */
function paddedPack(blocks: number): Buffer {
  const head = Buffer.from([0x78, 0x9c]);
  const nothing = Buffer.alloc(5 * blocks, Buffer.from([0, 0, 0, 0xff, 0xff]));
  const last = Buffer.from([1, 1, 0, 0xfe, 0xff, 0x41, 0, 0x42, 0, 0x42]);
  return sealed(Buffer.concat([rawPack([], 1).subarray(0, 12), Buffer.from([0x31]), head, nothing, last]));
}

test("a stream with more empty blocks than anybody should buffer is refused", () => {
  expect(reasonOf(paddedPack(4_000_000))).toBe("too-large");
});

test("a stream with many empty blocks is longer than expected, and legal", () => {
  receive(paddedPack(300_000));
  using caches = new EngineCaches(1e6);
  using database = ObjectDatabase.open(sha1, [path], caches);
  expect(Buffer.from(database.readHex(bytesToHex(blobOid(Buffer.from("A")))).bytes).toString()).toBe("A");
});

test("damaged packs are refused, or hold what their oids say", () => {
  const good = rawPack([...chain(8), whole(Buffer.alloc(3000)), ...chain(12).slice(8).toReversed()]).subarray(0, -20);
  const random = randomFrom(99);
  let taken = 0;
  for (let round = 0; round < damagedPacks; round++) {
    const bad = Buffer.from(good);
    const changes = 1 + random.below(4);
    for (let change = 0; change < changes; change++) {
      const at = random.below(4) === 0 ? random.below(40) : random.below(bad.length);
      if (random.below(3) === 0) bad.copy(bad, at, random.below(bad.length), random.below(bad.length));
      else bad[at]! ^= 1 << random.below(8);
    }
    if (reasonOf(sealed(bad)) !== "taken") continue;
    taken++;
    using caches = new EngineCaches(1e6);
    using database = ObjectDatabase.open(sha1, [path], caches);
    for (let position = 0; position < database.size; position++) {
      const { type, bytes } = database.read(position);
      expect(bytesToHex(hashObject(sha1, type, bytes))).toBe(database.hexAt(position));
    }
  }
  expect(taken).toBeGreaterThan(0);
  expect(taken).toBeLessThan(damagedPacks / 2);
});

test("nothing is indexed under a name that is no pack's, and nothing is left of a refused one", () => {
  const other = fixture.path("received.pack");
  writeFileSync(other, rawPack([whole(versions[0]!)], 2));
  expect(() => indexPack({ format: sha1, path: other, limits: generous, check: "none" })).toThrow(PackRejected);
  expect(existsSync(other.replace(".pack", ".idx"))).toBe(false);
  expect(() => indexPack({ format: sha1, path: `${other}.tmp`, limits: generous, check: "none" })).toThrow(
    'does not end in ".pack"',
  );
  expect(readFileSync(other).length).toBeGreaterThan(0);
});
