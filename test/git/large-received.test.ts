import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { hashObject } from "../../src/git/objects/hash-object.ts";
import { objectFormat, sha1, type Hasher, type ObjectFormat } from "../../src/git/objects/object-format.ts";
import { ObjectType, type GitObject } from "../../src/git/objects/object-type.ts";
import { bytesToHex } from "../../src/git/objects/oid.ts";
import { EngineCaches } from "../../src/git/odb/engine-caches.ts";
import { ObjectDatabase } from "../../src/git/odb/object-database.ts";
import { encodeDelta } from "../../src/git/pack/delta-encode.ts";
import { PackRejected } from "../../src/git/pack/errors.ts";
import { indexPack, type IndexPackOptions, type ReceivedPack } from "../../src/git/index-pack/index-pack.ts";
import { EntryKind } from "../../src/git/pack/pack-entry.ts";
import type { PackLimits } from "../../src/git/pack/pack-limits.ts";
import { writePack } from "../../src/git/pack/write-pack.ts";
import { randomFrom, type SeededRandom } from "../support/random.ts";
import { GitFixture } from "./git-fixture.ts";
import { rawPack, type RawEntry } from "./raw-pack.ts";
import { repeated } from "../support/thorough.ts";

/** Packs with blobs that are too large to be held come to the same as if they were held. Here that is more than 20,000 bytes. */

const fixture = new GitFixture();
afterAll(() => fixture[Symbol.dispose]());

const limits: PackLimits = {
  objectBytes: 1e8,
  totalInflatedBytes: 1e9,
  inflationRatio: 1000,
  deltaDepth: 4096,
  objectCount: 1e6,
};
const largeBlobBytes = 20_000;

interface Made {
  readonly type: ObjectType;
  readonly bytes: Uint8Array;
  /** an earlier one that it is a delta of */
  readonly base: number | null;
}

/** Blobs below and above the limit and some tags, most of which are deltas of others, with chains that go up and down. */
function randomObjects(random: SeededRandom, count: number): Made[] {
  const made: Made[] = [];
  for (let number = 0; number < count; number++) {
    const base = number > 3 && random.below(6) > 0 ? random.below(number) : null;
    const from = base === null ? null : made[base]!.bytes;
    const size = random.below(3) === 0 ? 30_000 + random.below(300_000) : 200 + random.below(20_000);
    const parts: Uint8Array[] = [Buffer.from(`object ${number}\n`)];
    for (let length = 0; length < size;) {
      const at = from === null ? 0 : random.below(from.length);
      const part =
        from === null || random.below(4) === 0
          ? random.bytes(random.below(5000))
          : from.subarray(at, at + random.below(90_000));
      parts.push(part);
      length += part.length + 1;
    }
    const type = base === null ? (random.below(4) === 0 ? ObjectType.tag : ObjectType.blob) : made[base]!.type;
    made.push({ type, bytes: Buffer.concat(parts), base });
  }
  return made;
}

/** In another order, in which only REF_DELTA has its base behind it. */
function entriesOf(
  format: ObjectFormat,
  objects: readonly Made[],
  random: SeededRandom,
  isShuffled: boolean,
): RawEntry[] {
  const order = objects
    .map((_, number) => ({ number, key: isShuffled ? random.below(1e9) : number }))
    .toSorted((a, b) => a.key - b.key);
  const places = new Map(order.map(({ number }, place) => [number, place]));
  return order.map(({ number }, place) => {
    const { type, bytes, base } = objects[number]!;
    const delta = base === null ? null : encodeDelta(objects[base]!.bytes, bytes, 1e7);
    if (base === null || delta === null) {
      return { kind: type, data: bytes };
    }
    const from = places.get(base)!;
    return from < place && random.below(3) > 0
      ? { kind: EntryKind.ofsDelta, data: delta, base: from }
      : {
          kind: EntryKind.refDelta,
          data: delta,
          baseOid: hashObject(format, objects[base]!.type, objects[base]!.bytes),
        };
  });
}

function receive(format: ObjectFormat, bytes: Uint8Array, options: Partial<IndexPackOptions> = {}): ReceivedPack {
  const path = fixture.path("received.pack");
  writeFileSync(path, bytes);
  return indexPack({ format, path, limits, check: "none", largeBlobBytes, ...options });
}

function expectContent(format: ObjectFormat, packs: readonly string[], objects: readonly Made[]): void {
  using caches = new EngineCaches(1e6);
  using database = ObjectDatabase.open(format, packs, caches);
  for (const { type, bytes } of objects) {
    const found = database.readHex(bytesToHex(hashObject(format, type, bytes)));
    expect(found.type).toBe(type);
    expect(Buffer.compare(found.bytes, bytes)).toBe(0);
  }
}

describe.each(repeated(["sha1", "sha256"] as const, 1))("with %s, large blobs in pieces:", (name) => {
  const format = objectFormat(name);

  test.each([1, 2])("deltas of all shapes have the same index, byte by byte (%d)", (seed) => {
    const random = randomFrom(seed);
    const objects = randomObjects(random, 60);
    const bytes = rawPack(entriesOf(format, objects, random, seed % 2 === 0), undefined, format);
    const index = readFileSync(receive(format, bytes, { largeBlobBytes: 1e8 }).indexPath);
    const inPieces = receive(format, bytes);
    expect(readFileSync(inPieces.indexPath).equals(index)).toBe(true);
    expect(readFileSync(receive(format, bytes, { largeBlobBytes: 300 }).indexPath).equals(index)).toBe(true);
    expectContent(format, [inPieces.packPath], objects);
  });

  test("a thin pack gets the large blobs that it lacks, whether they lie there whole or as deltas", () => {
    const random = randomFrom(9);
    const objects = randomObjects(random, 60);
    const entries = entriesOf(format, objects, random, false);
    const first = rawPack(entries.slice(0, 30), undefined, format);
    const old = receive(format, first);
    using caches = new EngineCaches(1e6, 1e6, largeBlobBytes);
    using bases = ObjectDatabase.open(format, [old.packPath], caches);
    // Compared with what is there, all of it is the same.
    expect(receive(format, first, { bases }).objectCount).toBe(30);
    const rest = objects.slice(30);
    const thin = rest.flatMap((object): RawEntry[] => {
      const base = object.base === null ? null : objects[object.base]!;
      const delta = base === null ? null : encodeDelta(base.bytes, object.bytes, 1e7);
      return base === null || delta === null
        ? [{ kind: object.type, data: object.bytes }]
        : [{ kind: EntryKind.refDelta, data: delta, baseOid: hashObject(format, base.type, base.bytes) }];
    });
    const received = receive(format, rawPack(thin, undefined, format), { bases });
    expect(received.objectCount).toBeGreaterThan(30);
    expectContent(format, [received.packPath], rest);
    const byGit = fixture.path("git.idx");
    fixture.git(fixture.repository(name), ["index-pack", `--object-format=${name}`, "-o", byGit, received.packPath]);
    expect(readFileSync(received.indexPath).equals(readFileSync(byGit))).toBe(true);
  });
});

function blob(bytes: Uint8Array): RawEntry {
  return { kind: ObjectType.blob, data: bytes };
}

/** Of an object it takes the header alone: large blobs of the same size have the same oid. */
function weakHasher(): Hasher {
  const hasher = sha1.hasher();
  let isHeader = true;
  let isBlob = false;
  const update = (bytes: Uint8Array): void => {
    isBlob ||= isHeader && Buffer.from(bytes).toString("latin1").startsWith("blob ");
    if (isHeader || !isBlob) {
      hasher.update(bytes);
    }
    isHeader = false;
  };
  return { ...hasher, update };
}

function rejection(work: () => unknown): string {
  try {
    work();
    return "taken";
  } catch (error) {
    if (error instanceof PackRejected) return error.reason;
    throw error;
  }
}

describe("of large blobs", () => {
  const random = randomFrom(20);
  const large = random.bytes(150_000);
  const next = Buffer.concat([large.subarray(0, 140_000), Buffer.from("changed"), large.subarray(50_000)]);
  const delta = encodeDelta(large, next, 1e6)!;
  const onLarge = (data: Uint8Array): Buffer => rawPack([blob(large), { kind: EntryKind.ofsDelta, base: 0, data }]);
  /** 150,000 and 240,007 as a delta begins with them. */
  const sizes = delta.subarray(0, 6);
  expect([...sizes]).toEqual([0xf0, 0x93, 0x09, 0x87, 0xd3, 0x0e]);

  test.each<[string, string, Uint8Array]>([
    [
      "malformed",
      "a delta whose result is shorter than it says",
      onLarge(Buffer.concat([sizes, delta.subarray(6, -5)])),
    ],
    ["malformed", "a delta whose result is longer than it says", onLarge(Buffer.concat([delta, Buffer.from([1, 65])]))],
    [
      "malformed",
      "a delta that copies from behind its base",
      onLarge(Buffer.concat([sizes, Buffer.from([0x94, 0xff, 0xff])])),
    ],
    ["malformed", "a delta of another base", onLarge(Buffer.concat([Buffer.from([0xf1]), delta.subarray(1)]))],
    [
      "too-large",
      "a delta that says to make more than is allowed",
      onLarge(Buffer.concat([sizes.subarray(0, 3), Buffer.from([0xff, 0xff, 0xff, 0xff, 0x7f])])),
    ],
    ["malformed", "a blob that is larger than it says", rawPack([{ ...blob(large), size: 149_999 }])],
    ["malformed", "a blob that is smaller than it says", rawPack([{ ...blob(large), size: 150_001 }])],
    ["truncated", "a blob that is cut off", rawPack([{ ...blob(large), size: 150_001 }]).subarray(0, 100_000)],
    ["too-large", "what deflates much too well", rawPack([blob(new Uint8Array(90_000_000))])],
    [
      "missing-base",
      "a delta of nothing",
      rawPack([{ kind: EntryKind.refDelta, baseOid: new Uint8Array(20), data: delta }]),
    ],
    ["duplicate", "twice the same", rawPack([blob(large), blob(large)])],
  ])("is refused as %s: %s", (reason, _, bytes) => {
    expect(rejection(() => receive(sha1, bytes, { limits: { ...limits, inflationRatio: 100 } }))).toBe(reason);
  });

  test("small changes of what is there are no bomb, however large that is", () => {
    const old = receive(sha1, rawPack([blob(large)]));
    using caches = new EngineCaches(1e6, 1e6, largeBlobBytes);
    using bases = ObjectDatabase.open(sha1, [old.packPath], caches);
    const baseOid = hashObject(sha1, ObjectType.blob, large);
    const ends = Array.from({ length: 600 }, (_, number) => Buffer.from(`${number}`.padStart(5, "0")));
    // All of the base but five bytes, in copies of 65,536 and less, then those.
    const copies = Buffer.from([0x80, 0xc4, 1, 1, 0xb4, 2, 0xeb, 0x49]);
    const deltas = ends.map((end): RawEntry => ({
      kind: EntryKind.refDelta,
      baseOid,
      data: Buffer.concat([sizes.subarray(0, 3), sizes.subarray(0, 3), copies, Buffer.from([5]), end]),
    }));
    expect(receive(sha1, rawPack(deltas), { bases, limits: { ...limits, inflationRatio: 100 } }).objectCount).toBe(601);
    expect(
      rejection(() => receive(sha1, rawPack(deltas), { bases, limits: { ...limits, totalInflatedBytes: 8e7 } })),
    ).toBe("too-large");
    // More of them than an eighth of what all objects may have is one again, unless the pack is large, too.
    expect(
      rejection(() =>
        receive(sha1, rawPack(deltas), { bases, limits: { ...limits, totalInflatedBytes: 6e8, inflationRatio: 100 } }),
      ),
    ).toBe("too-large");
    expect(
      receive(sha1, rawPack(deltas), { bases, limits: { ...limits, totalInflatedBytes: 6e8, inflationRatio: 10_000 } })
        .objectCount,
    ).toBe(601);
  });

  test("deltas that would hold each other up are refused", () => {
    const old = fixture.path("old.pack");
    writePack(
      sha1,
      old,
      [large, next].map((bytes): GitObject => ({ type: ObjectType.blob, bytes })),
    );
    using caches = new EngineCaches(1e6);
    using bases = ObjectDatabase.open(sha1, [old], caches);
    const on = (from: Uint8Array, to: Uint8Array): RawEntry => ({
      kind: EntryKind.refDelta,
      data: encodeDelta(from, to, 1e6)!,
      baseOid: hashObject(sha1, ObjectType.blob, from),
    });
    expect(rejection(() => receive(sha1, rawPack([on(large, next), on(next, large)]), { bases }))).toBe("malformed");
  });

  test("one that has the id of another one that is there is refused, and one that is the same is not", () => {
    const weak: ObjectFormat = { ...sha1, hasher: weakHasher };
    const old = receive(weak, rawPack([blob(large)]));
    using caches = new EngineCaches(1e6, 1e6, largeBlobBytes);
    using bases = ObjectDatabase.open(weak, [old.packPath], caches);
    const changed = large.slice();
    changed[149_999]! ^= 1;
    expect(rejection(() => receive(weak, rawPack([blob(changed)]), { bases }))).toBe("collision");
    expect(receive(weak, rawPack([blob(large)]), { bases }).objectCount).toBe(1);
  });

  test("work is told of, and can be ended, within each; nothing is left of it", () => {
    const bytes = onLarge(delta);
    let steps = 0;
    receive(sha1, bytes, { onProgress: () => steps++ });
    expect(steps).toBeGreaterThan(4);
    for (let last = 1; last <= steps; last++) {
      const path = fixture.path("received.pack");
      writeFileSync(path, bytes);
      let left = last;
      const before = readdirSync(dirname(path)).length;
      const open = readdirSync("/proc/self/fd").length;
      const onProgress = (): void => {
        if (--left === 0) throw new Error("nobody waits any more");
      };
      expect(() => indexPack({ format: sha1, path, limits, check: "none", largeBlobBytes, onProgress })).toThrow(
        "nobody waits",
      );
      expect(readdirSync(dirname(path)).length).toBe(before);
      expect(readdirSync("/proc/self/fd").length).toBe(open);
    }
  });
});
