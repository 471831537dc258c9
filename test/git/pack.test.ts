import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, copyFileSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hashObject } from "../../src/git/objects/hash-object.ts";
import { objectFormat, sha1, type ObjectFormat } from "../../src/git/objects/object-format.ts";
import { ObjectType, typeName, typeOfName, type GitObject } from "../../src/git/objects/object-type.ts";
import { bytesToHex } from "../../src/git/objects/oid.ts";
import { EngineCaches } from "../../src/git/odb/engine-caches.ts";
import { MissingObject, ObjectDatabase } from "../../src/git/odb/object-database.ts";
import { CorruptPack, PackRejected } from "../../src/git/pack/errors.ts";
import { indexPack } from "../../src/git/index-pack/index-pack.ts";
import type { IndexedPack } from "../../src/git/pack/indexed-pack.ts";
import { PackEntry } from "../../src/git/pack/pack-file.ts";
import type { PackLimits } from "../../src/git/pack/pack-limits.ts";
import { UncachedReader } from "../../src/git/pack/uncached-reader.ts";
import { writePack } from "../../src/git/pack/write-pack.ts";
import { randomFrom } from "../support/random.ts";
import { GitFixture } from "./git-fixture.ts";
import { repeated } from "../support/thorough.ts";

const limits: PackLimits = {
  objectBytes: 1e8,
  totalInflatedBytes: 1e9,
  inflationRatio: 1000,
  deltaDepth: 4096,
  objectCount: 1e6,
};
const fixture = new GitFixture();
/** A small cache, so that eviction is part of every test. */
const caches = new EngineCaches(4 * 1024 * 1024);
const repositories: { name: string; path: string; format: ObjectFormat }[] = [];

afterAll(() => {
  caches[Symbol.dispose]();
  fixture[Symbol.dispose]();
});

/** History with long and growing files, directories, a tag, a big and an empty blob: enough for git to make chains of deltas. */
function fastImport(commits: number): Buffer {
  const random = randomFrom(7);
  const parts: Uint8Array[] = [];
  const put = (text: string): number => parts.push(Buffer.from(text));
  const blob = (path: string, bytes: Uint8Array): void => {
    put(`M 100644 inline ${path}\ndata ${bytes.length}\n`);
    parts.push(bytes, Buffer.from("\n"));
  };
  const files = Array.from({ length: 12 }, (_, file) =>
    Array.from({ length: 40 + file * 60 }, (_, line) => `line ${line} of file ${file}: ${random.below(1e9)}`),
  );
  for (let number = 1; number <= commits; number++) {
    const message = `change ${number}\n`;
    put(
      `commit refs/heads/main\ncommitter C <c@example.com> ${1_700_000_000 + number} +0100\ndata ${message.length}\n${message}`,
    );
    for (let change = 0; change < 3; change++) {
      const file = random.below(files.length);
      const lines = files[file]!;
      lines.splice(random.below(lines.length), random.below(3), `changed by ${number}: ${random.below(1e9)}`);
      blob(`dir${file % 4}/sub/file${file}.txt`, Buffer.from(lines.join("\n")));
    }
    if (number === 1) {
      blob("empty", new Uint8Array(0));
      blob("big", random.bytes(700_000));
      blob("zeros", new Uint8Array(2_000_000));
    }
  }
  put("tag v1\nfrom refs/heads/main\ntagger T <t@example.com> 1700009999 -0330\ndata 6\nfirst\n\ndone\n");
  return Buffer.concat(parts);
}

beforeAll(() => {
  const history = fastImport(150);
  for (const name of ["sha1", "sha256"] as const) {
    const path = fixture.repository(name);
    fixture.git(path, ["fast-import", "--quiet", "--done"], history);
    fixture.git(path, ["-c", "core.bigFileThreshold=512m", "repack", "-adfq", "--depth=50", "--window=10"]);
    repositories.push({ name, path, format: objectFormat(name) });
  }
});

function packsOf(repository: string): string[] {
  const directory = join(repository, "objects/pack");
  return readdirSync(directory)
    .filter((name) => name.endsWith(".pack"))
    .map((name) => join(directory, name));
}

/** What `git cat-file --batch` says of all objects, by oid. */
function objectsByGit(repository: string): Map<string, { type: ObjectType; bytes: Uint8Array }> {
  const output = fixture.git(repository, ["cat-file", "--batch", "--batch-all-objects"]);
  const objects = new Map<string, { type: ObjectType; bytes: Uint8Array }>();
  for (let at = 0; at < output.length;) {
    const end = output.indexOf(10, at);
    const [oid, type, size] = output.toString("latin1", at, end).split(" ");
    objects.set(oid!, { type: typeOfName(type!)!, bytes: output.subarray(end + 1, end + 1 + Number(size)) });
    at = end + 1 + Number(size) + 1;
  }
  return objects;
}

function expectSameObjects(database: ObjectDatabase, repository: string): void {
  const expected = objectsByGit(repository);
  expect(expected.size).toBeGreaterThan(0);
  for (const [oid, object] of expected) {
    const position = database.findHex(oid);
    expect(position).toBeGreaterThanOrEqual(0);
    expect(database.hexAt(position)).toBe(oid);
    expect(database.typeAt(position)).toBe(object.type);
    expect(database.sizeAt(position)).toBe(object.bytes.length);
    const read = database.read(position);
    expect(read.type).toBe(object.type);
    expect(Buffer.compare(read.bytes, object.bytes)).toBe(0);
  }
}

/** A pack made by `git pack-objects` of a list of objects or revisions. */
function packedByGit(repository: string, args: readonly string[], input: string): string {
  const path = fixture.path("received.pack");
  writeFileSync(path, fixture.git(repository, ["pack-objects", "--stdout", "-q", ...args], input));
  return path;
}

function index(format: ObjectFormat, path: string, bases?: ObjectDatabase): IndexedPack {
  return indexPack({ format, path, limits, check: "strict", ...(bases === undefined ? {} : { bases }) });
}

function expectSameIndexAsGit(format: ObjectFormat, repository: string, path: string): void {
  const own = index(format, path);
  const byGit = fixture.path("git.idx");
  fixture.git(repository, ["index-pack", `--object-format=${format.name}`, "--strict", "-o", byGit, path]);
  expect(readFileSync(own.indexPath).equals(readFileSync(byGit))).toBe(true);
}

describe.each(repeated(["sha1", "sha256"] as const, 1))("with %s", (name) => {
  const repository = (): { path: string; format: ObjectFormat } => repositories.find((each) => each.name === name)!;

  test("every object of a pack with deltas reads as git reads it", () => {
    const { path, format } = repository();
    using database = ObjectDatabase.open(format, packsOf(path), caches);
    expectSameObjects(database, path);
    expect(() => database.readHex("12".repeat(format.oidBytes))).toThrow(MissingObject);
    expect(database.findHex("12")).toBe(-1);
  });

  test("objects that are read once, past the cache, are the same", () => {
    const { path, format } = repository();
    const random = randomFrom(13);
    const expected = [...objectsByGit(path)].toSorted(() => random.below(3) - 1);
    using own = new EngineCaches(4 * 1024 * 1024);
    using database = ObjectDatabase.open(format, packsOf(path), own);
    for (const count of [expected.length, 20]) {
      const reader = new UncachedReader();
      for (const [oid, { type, bytes }] of expected.slice(0, count)) {
        const read = database.readOnceUpTo(database.findHex(oid), reader, Number.POSITIVE_INFINITY)!;
        expect(read.type).toBe(type);
        expect(Buffer.compare(read.bytes, bytes)).toBe(0);
      }
    }
  });

  test("a single version of each object is what git has, however many deltas it takes, and whether it is kept or not", () => {
    const { path, format } = repository();
    const expected = [...objectsByGit(path)];
    for (const isShared of [true, false]) {
      using own = new EngineCaches(4 * 1024 * 1024);
      using database = ObjectDatabase.open(format, packsOf(path), own);
      const shared = new UncachedReader({ isOfOne: true });
      for (const [oid, { type, bytes }] of [...expected, ...expected]) {
        const reader = isShared ? shared : new UncachedReader({ isOfOne: true });
        const read = database.readOnceUpTo(database.findHex(oid), reader, Number.POSITIVE_INFINITY)!;
        expect(read.type).toBe(type);
        expect(Buffer.compare(read.bytes, bytes)).toBe(0);
      }
    }
  });

  test("an object that is larger than a limit is not read, whole or delta, cached or not", () => {
    const { path, format } = repository();
    const expected = [...objectsByGit(path)];
    for (const limit of [0, 60, 1000, 20_000]) {
      using own = new EngineCaches(4 * 1024 * 1024);
      using database = ObjectDatabase.open(format, packsOf(path), own);
      const reader = new UncachedReader();
      const read = (at: number) => database.readUpTo(at, limit);
      const readOnce = (at: number) => database.readOnceUpTo(at, reader, limit);
      for (const way of [readOnce, read, readOnce]) {
        const found = expected.filter(([oid]) => way(database.findHex(oid)) !== null);
        expect(found).toEqual(expected.filter(([, { bytes }]) => bytes.length <= limit));
      }
    }
  });

  test("the order of a pack and its raw entries are those of git", () => {
    const { path, format } = repository();
    using database = ObjectDatabase.open(format, packsOf(path), caches);
    const [pack] = database.packs;
    const listed = fixture
      .git(path, ["verify-pack", `--object-format=${format.name}`, "-v", packsOf(path)[0]!])
      .toString()
      .split("\n");
    const entry = new PackEntry();
    let deltas = 0;
    for (let order = 0; order < pack!.entryCount; order++) {
      const [oid, type, size, packed, offset, , base] = listed[order]!.split(/ +/);
      const position = pack!.order.positionAt(order);
      expect(database.hexAt(position)).toBe(oid!);
      expect(typeName(pack!.typeAt(position))).toBe(type as "blob");
      expect(pack!.order.offsetAt(order)).toBe(Number(offset));
      expect(pack!.order.endAt(order) - pack!.order.offsetAt(order)).toBe(Number(packed));
      expect(pack!.order.orderAtOffset(pack!.index.offsetAt(position))).toBe(order);
      pack!.readHeader(Number(offset), entry);
      expect(entry.size).toBe(Number(size));
      if (base !== undefined) {
        deltas++;
        expect(database.hexAt(pack!.order.positionAt(pack!.order.orderAtOffset(entry.baseOffset)))).toBe(base);
      }
    }
    expect(deltas).toBeGreaterThan(100);
    const file = readFileSync(pack!.path);
    const copied = Buffer.alloc(pack!.packBytes);
    pack!.forEachChunk(0, pack!.packBytes, (bytes, from, to, at) => copied.set(bytes.subarray(from, to), at));
    expect(copied.equals(file)).toBe(true);
    expect(Buffer.compare(pack!.readBytes(262_100, 262_200), file.subarray(262_100, 262_200))).toBe(0);
    expect(Bun.hash.crc32(file.subarray(pack!.order.offsetAt(5), pack!.order.endAt(5)))).toBe(
      pack!.index.crcAt(pack!.order.positionAt(5)),
    );
  });

  test("an index is byte for byte git's, for every form of delta", () => {
    const { path, format } = repository();
    const all = ["--all", "--no-reuse-delta", "--revs"];
    const copy = fixture.path("copy.pack");
    copyFileSync(packsOf(path)[0]!, copy);
    expectSameIndexAsGit(format, path, copy);
    expectSameIndexAsGit(format, path, packedByGit(path, [...all, "--delta-base-offset"], ""));
    expectSameIndexAsGit(format, path, packedByGit(path, all, ""));
    expectSameIndexAsGit(format, path, packedByGit(path, [...all, "--depth=0"], ""));
    expectSameIndexAsGit(format, path, packedByGit(path, [], ""));
  });

  test("objects larger than what is read at a time are indexed as by git, and the small ones between them", () => {
    const own = fixture.repository(name);
    const noise = randomFrom(7).bytes(5 << 20);
    const oids = [100, 3 << 20, 2000, 200, 5 << 20, 50].map((size) =>
      fixture.git(own, ["hash-object", "-w", "--stdin"], noise.subarray(0, size)).toString(),
    );
    expectSameIndexAsGit(repository().format, own, packedByGit(own, ["--depth=0"], oids.join("")));
  });

  test.each(["--delta-base-offset", "--no-delta-base-offset"])(
    "a thin pack is completed so that git takes it (%s)",
    (offsets) => {
      const { path, format } = repository();
      const option = offsets.startsWith("--no") ? [] : [offsets];
      const old = packedByGit(path, ["--revs", "--delta-base-offset"], "main~5\n");
      index(format, old);
      const received = packedByGit(path, ["--revs", "--thin", ...option], "main\n^main~5\nv1\n");
      using bases = ObjectDatabase.open(format, [old], caches);
      const countBefore = readFileSync(received).readUInt32BE(8);
      const indexed = index(format, received, bases);
      expect(indexed.objectCount).toBeGreaterThan(countBefore);
      expect(indexed.packBytes).toBe(readFileSync(received).length);
      expect(readFileSync(received).subarray(-format.oidBytes).toString("hex")).toBe(indexed.checksum);

      const byGit = fixture.path("git.idx");
      fixture.git(path, ["index-pack", `--object-format=${format.name}`, "-o", byGit, received]);
      expect(readFileSync(indexed.indexPath).equals(readFileSync(byGit))).toBe(true);

      using both = ObjectDatabase.open(format, [received, old], caches);
      expectSameObjects(both, path);
      const seen = new Set<string>();
      for (let position = 0; position < both.size; position++) {
        expect(both.canonical(position)).toBe(both.findHex(both.hexAt(position)));
        seen.add(both.hexAt(both.canonical(position)));
      }
      expect(seen.size).toBeLessThan(both.size);
    },
  );

  test("a thin pack without its bases is refused", () => {
    const { path, format } = repository();
    const received = packedByGit(path, ["--revs", "--thin"], "main\n^main~5\n");
    expect(() => index(format, received)).toThrow(
      expect.objectContaining({ reason: "missing-base" }) as unknown as Error,
    );
  });

  test("a pack that we write is one for git", () => {
    const { path, format } = repository();
    const objects = [...objectsByGit(path).values()].slice(0, 200);
    const target = fixture.path("written.pack");
    const written = writePack(format, target, [...objects, objects[0]!]);
    expect(written.objectCount).toBe(200);
    const byGit = fixture.path("git.idx");
    const checksum = fixture
      .git(path, ["index-pack", `--object-format=${format.name}`, "-o", byGit, target])
      .toString()
      .trim();
    expect(written.checksum).toBe(checksum);
    expect(readFileSync(written.indexPath).equals(readFileSync(byGit))).toBe(true);
    using database = ObjectDatabase.open(format, [target], caches);
    for (const object of objects) {
      expect(database.readHex(bytesToHex(hashObject(format, object.type, object.bytes)))).toEqual({
        type: object.type,
        bytes: new Uint8Array(object.bytes),
      });
    }
  });

  test("a pack that we write has deltas of what is alike, in chains that git makes, too", () => {
    const { path, format } = repository();
    const text = (changed: number) =>
      Buffer.from(Array.from({ length: 400 }, (_, line) => `line ${line} ${line < changed ? "new" : ""}\n`).join(""));
    const versions = Array.from({ length: 120 }, (_, version) => text(version));
    const oidOf = (bytes: Uint8Array) => bytesToHex(hashObject(format, ObjectType.blob, bytes));
    const target = fixture.path("alike.pack");
    const elsewhere = { oid: oidOf(Buffer.from("not in it")), bytes: text(0) };
    const written = writePack(
      format,
      target,
      versions.map((bytes, version) => {
        const before = versions[version - 1];
        const like = before === undefined ? elsewhere : { oid: oidOf(before), bytes: before };
        return { type: ObjectType.blob, bytes, like };
      }),
    );
    expect(written.objectCount).toBe(120);
    expect(written.packBytes).toBeLessThan(20_000);
    const chains = fixture.git(path, ["verify-pack", "-s", target]).toString();
    expect(chains).toContain("chain length = 50:");
    expect(chains).not.toContain("chain length = 51:");
    using database = ObjectDatabase.open(format, [target], caches);
    for (const bytes of versions) {
      expect(database.readHex(oidOf(bytes))).toEqual({ type: ObjectType.blob, bytes: new Uint8Array(bytes) });
    }
  });
});

/** An indexed copy of a pack that git made. */
function stored(): IndexedPack {
  const path = fixture.path("stored.pack");
  copyFileSync(packsOf(repositories[0]!.path)[0]!, path);
  // Git's packs are closed to writing, and copies of them, too.
  chmodSync(path, 0o600);
  return index(sha1, path);
}

/** Reads all objects of a pack and returns how many could not be read. */
function readAll(path: string): number {
  using own = new EngineCaches(1024 * 1024);
  using database = ObjectDatabase.open(sha1, [path], own);
  let failed = 0;
  for (let position = 0; position < database.size; position++) {
    try {
      database.typeAt(position);
      database.sizeAt(position);
      const { type, bytes } = database.read(position);
      expect(bytesToHex(hashObject(sha1, type, bytes))).toBe(database.hexAt(position));
    } catch (error) {
      expect(error).toBeInstanceOf(CorruptPack);
      failed++;
    }
  }
  return failed;
}

describe("a stored pack that is damaged", () => {
  test("fails for what is damaged only, never with wrong bytes", () => {
    const { packPath, packBytes } = stored();
    expect(readAll(packPath)).toBe(0);
    const good = readFileSync(packPath);
    const random = randomFrom(11);
    for (let round = 0; round < 10; round++) {
      const bad = Buffer.from(good);
      // The zlib streams only: a header that is another valid one cannot be told from here.
      for (let flip = 0; flip < 3; flip++)
        bad[packBytes - 1000 - random.below(packBytes >> 2)]! ^= 1 << random.below(8);
      writeFileSync(packPath, bad);
      expect(readAll(packPath)).toBeGreaterThan(0);
    }
  });

  test("or cut off after it was opened fails the request", () => {
    const { packPath, packBytes } = stored();
    using own = new EngineCaches(1024 * 1024);
    using database = ObjectDatabase.open(sha1, [packPath], own);
    truncateSync(packPath, packBytes >> 1);
    expect(() => {
      for (let position = 0; position < database.size; position++) database.read(position);
    }).toThrow(CorruptPack);
    expect(() => ObjectDatabase.open(sha1, [packPath], own)).not.toThrow();
    using fresh = new EngineCaches(1024 * 1024);
    expect(() => ObjectDatabase.open(sha1, [packPath], fresh)).toThrow(CorruptPack);
    expect(() => ObjectDatabase.open(sha1, [`${packPath}-gone.pack`], fresh)).toThrow(CorruptPack);
  });

  test("in its index cannot be opened, or fails what it leads to", () => {
    const { packPath, indexPath } = stored();
    const good = readFileSync(indexPath);
    const random = randomFrom(12);
    for (let round = 0; round < 60; round++) {
      const bad = Buffer.from(good);
      if (round % 3 === 0) writeFileSync(indexPath, bad.subarray(0, random.below(bad.length)));
      else {
        bad[random.below(bad.length)]! ^= 1 << random.below(8);
        writeFileSync(indexPath, bad);
      }
      using own = new EngineCaches(1024 * 1024);
      try {
        using database = ObjectDatabase.open(sha1, [packPath], own);
        for (let position = 0; position < database.size; position += 7) {
          database.read(position);
          database.sizeAt(position);
        }
      } catch (error) {
        expect(error).toBeInstanceOf(CorruptPack);
      }
    }
  });
});

function blob(number: number): GitObject {
  return { type: ObjectType.blob, bytes: Buffer.from(`content ${number}`) };
}

test("packs are kept open within limits and opened again", () => {
  const paths = Array.from({ length: 12 }, (_, number) => {
    const path = fixture.path("small.pack");
    writePack(sha1, path, [blob(number)]);
    return path;
  });
  // An index takes some 260 KB, so that four idle ones fit.
  using own = new EngineCaches(4 * 1024 * 1024);
  for (let round = 0; round < 3; round++) {
    for (const [number, path] of paths.entries()) {
      using database = ObjectDatabase.open(sha1, [path, paths[0]!], own);
      const object = blob(number);
      expect(
        Buffer.from(database.readHex(bytesToHex(hashObject(sha1, object.type, object.bytes))).bytes).toString(),
      ).toBe(`content ${number}`);
    }
  }
});

test("a received object that differs from the one of its oid that is there is refused", () => {
  // A hash of which only two bytes count makes collisions easy to find.
  const weak: ObjectFormat = {
    ...sha1,
    hashInto(bytes, out) {
      sha1.hashInto(bytes, out);
      out.fill(0, 2);
    },
  };
  const seen = new Map<string, number>();
  let pair: [number, number] | null = null;
  for (let number = 0; pair === null; number++) {
    const oid = bytesToHex(hashObject(weak, ObjectType.blob, blob(number).bytes));
    const other = seen.get(oid);
    if (other !== undefined) pair = [other, number];
    seen.set(oid, number);
  }
  const [old, received, same] = ["old", "received", "same"].map((name) => fixture.path(`${name}.pack`)) as [
    string,
    string,
    string,
  ];
  writePack(weak, old, [blob(pair[0])]);
  writePack(weak, received, [blob(pair[1])]);
  writePack(weak, same, [blob(pair[0]), blob(-1)]);
  using own = new EngineCaches(1024 * 1024);
  using bases = ObjectDatabase.open(weak, [old], own);
  expect(() => index(weak, received, bases)).toThrow(
    expect.objectContaining({ reason: "collision" }) as unknown as Error,
  );
  expect(() => index(weak, received, bases)).toThrow(PackRejected);
  expect(index(weak, same, bases).objectCount).toBe(2);
});
