import { afterAll, describe, expect, test } from "bun:test";
import { closeSync, ftruncateSync, openSync, writeFileSync, writeSync } from "node:fs";
import { deflateSync } from "node:zlib";
import { hashObject } from "../../src/git/objects/hash-object.ts";
import { objectFormat, sha1, type ObjectFormatName } from "../../src/git/objects/object-format.ts";
import { ObjectType } from "../../src/git/objects/object-type.ts";
import { bytesToHex } from "../../src/git/objects/oid.ts";
import { EngineCaches } from "../../src/git/odb/engine-caches.ts";
import { ObjectDatabase } from "../../src/git/odb/object-database.ts";
import { encodeDelta } from "../../src/git/pack/delta-encode.ts";
import { EntryTable } from "../../src/git/pack/entry-table.ts";
import { EntryKind, writeBaseDistance, writeEntryHeader } from "../../src/git/pack/pack-entry.ts";
import { PackIndex } from "../../src/git/pack/pack-index.ts";
import { sortByOid, writePackIndex } from "../../src/git/pack/write-pack-index.ts";
import { OffsetMemory } from "../../src/git/transport/written-offsets.ts";
import { randomFrom } from "../support/random.ts";
import { GitFixture } from "./git-fixture.ts";

/** Packs of more than 2 and 4 GB, without having any: indexes with 64-bit offsets, and a file that is mostly a hole. */

const fixture = new GitFixture();
afterAll(() => fixture[Symbol.dispose]());

const edges = [12, 2 ** 31 - 1, 2 ** 31, 2 ** 31 + 1, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 5, 2 ** 40 + 3, 2 ** 45];

describe.each<ObjectFormatName>(["sha1", "sha256"])(
  "an index of %s with offsets on both sides of 2 GB and 4 GB",
  (name) => {
    const format = objectFormat(name);
    const random = randomFrom(4);
    const table = new EntryTable(edges.length, format.oidBytes);
    edges.forEach((offset) => {
      const entry = table.add();
      table.offsets[entry] = offset;
      table.crcs[entry] = random.below(2 ** 32);
      table.oids.set(random.bytes(format.oidBytes), entry * format.oidBytes);
    });
    const bytes = writePackIndex(table, sortByOid(table), new Uint8Array(format.oidBytes), format);
    const path = fixture.path("large.idx");
    writeFileSync(path, bytes);

    test("is read as it was written", () => {
      const index = PackIndex.open(format, path);
      for (const [entry, offset] of edges.entries()) {
        const position = index.find(table.oids, entry * format.oidBytes);
        expect({ offset: index.offsetAt(position), crc: index.crcAt(position) }).toEqual({
          offset,
          crc: table.crcs[entry] ?? -1,
        });
      }
    });

    test("is read by git in the same way", () => {
      const lines = fixture
        .git(fixture.repository(name), ["show-index", `--object-format=${name}`], bytes)
        .toString()
        .trim()
        .split("\n");
      const expected = edges.map(
        (offset, entry) =>
          `${offset} ${bytesToHex(table.oid(entry))} (${(table.crcs[entry] ?? 0).toString(16).padStart(8, "0")})`,
      );
      expect(lines.toSorted()).toEqual(expected.toSorted());
    });

    test("that lacks an offset is damaged", () => {
      const damaged = Buffer.from(bytes);
      // The table of 64-bit offsets stands before the two checksums; the one of 32 bits before it names places in it.
      const small =
        damaged.length -
        2 * format.oidBytes -
        8 * edges.filter((offset) => offset >= 2 ** 31).length -
        4 * edges.length;
      for (let position = 0; position < edges.length; position++) {
        if (damaged.readUInt32BE(small + 4 * position) >= 2 ** 31) {
          damaged.writeUInt32BE(0x8000_0100, small + 4 * position);
        }
      }
      damaged.set(
        new Bun.CryptoHasher(name).update(damaged.subarray(0, -format.oidBytes)).digest(),
        damaged.length - format.oidBytes,
      );
      const file = fixture.path("damaged.idx");
      writeFileSync(file, damaged);
      const index = PackIndex.open(format, file);
      expect(() => index.offsetAt(index.find(table.oids, format.oidBytes * 7))).toThrow("is missing");
    });
  },
);

test("objects beyond 4 GB are read, and deltas of others that far before them", () => {
  const texts = ["near", "far"].map((word) => Buffer.from(`${word}\n`.repeat(200)));
  const [near = Buffer.alloc(0), far = Buffer.alloc(0)] = texts;
  const built = Buffer.concat([near, Buffer.from("and built on it")]);
  const path = fixture.path("sparse.pack");
  const descriptor = openSync(path, "w+");
  const table = new EntryTable(3, sha1.oidBytes);
  let end = 0;
  const write = (offset: number, kind: EntryKind, content: Uint8Array, data: Uint8Array = content): void => {
    const entry = table.add();
    table.offsets[entry] = offset;
    table.oids.set(hashObject(sha1, ObjectType.blob, content), entry * sha1.oidBytes);
    const head = new Uint8Array(32);
    const length = writeEntryHeader(head, 0, kind, data.length);
    const bytes = Buffer.concat([
      head.subarray(0, kind === EntryKind.ofsDelta ? writeBaseDistance(head, length, offset - 12) : length),
      deflateSync(data),
    ]);
    writeSync(descriptor, bytes, 0, bytes.length, offset);
    end = offset + bytes.length;
  };
  const header = Buffer.from("PACK\0\0\0\u0002\0\0\0\u0003", "latin1");
  writeSync(descriptor, header, 0, header.length, 0);
  write(12, ObjectType.blob, near);
  write(2 ** 32 + 7, ObjectType.blob, far);
  write(2 ** 32 + 2 ** 31, EntryKind.ofsDelta, built, encodeDelta(near, built, 1e6) ?? Buffer.alloc(0));
  // The checksum is that of zeros, which nobody compares with 6 GB of content to open a pack.
  ftruncateSync(descriptor, end + sha1.oidBytes);
  closeSync(descriptor);
  writeFileSync(
    path.replace(".pack", ".idx"),
    writePackIndex(table, sortByOid(table), new Uint8Array(sha1.oidBytes), sha1),
  );
  using caches = new EngineCaches(1e6);
  using database = ObjectDatabase.open(sha1, [path], caches);
  for (const text of [...texts, built]) {
    const oid = bytesToHex(hashObject(sha1, ObjectType.blob, text));
    expect(Buffer.compare(database.readHex(oid).bytes, text)).toBe(0);
    expect(database.sizeAt(database.findHex(oid))).toBe(text.length);
  }
});

test("places in a pack that is being sent may be beyond 4 GB", () => {
  for (const count of [1, 1000]) {
    const offsets = new OffsetMemory(10_000).open(count, 1000, null);
    edges.forEach((offset, position) => offsets.set(position, offset));
    expect(edges.map((_, position) => offsets.get(position))).toEqual(edges);
  }
});
