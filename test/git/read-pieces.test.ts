import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { hashObject } from "../../src/git/objects/hash-object.ts";
import { objectFormat } from "../../src/git/objects/object-format.ts";
import { EngineCaches } from "../../src/git/odb/engine-caches.ts";
import { ObjectDatabase } from "../../src/git/odb/object-database.ts";
import { CorruptPack } from "../../src/git/pack/errors.ts";
import { PackEntry } from "../../src/git/pack/pack-file.ts";
import type { PiecesWanted } from "../../src/git/pack/read-pieces.ts";
import { EngineBusy } from "../../src/git/job/errors.ts";
import { randomFrom } from "../support/random.ts";
import { GitFixture } from "./git-fixture.ts";
import { repeated } from "../support/thorough.ts";

/** Objects that the small path reads are read here in pieces, too, as if they were large. */
const fixture = new GitFixture();
const repositories = new Map<string, string>();
let others = 0;

afterAll(() => fixture[Symbol.dispose]());

beforeAll(() => {
  others = spilledFiles();
  const random = randomFrom(11);
  const parts: Uint8Array[] = [];
  const versions = Array.from({ length: 2 }, () => Buffer.from(random.bytes(200_000)));
  for (let number = 1; number <= 12; number++) {
    parts.push(
      Buffer.from(`commit refs/heads/main\ncommitter C <c@example.com> ${1_700_000_000 + number} +0000\ndata 1\nx\n`),
    );
    for (const [file, bytes] of versions.entries()) {
      const at = random.below(bytes.length);
      versions[file] = Buffer.concat([
        bytes.subarray(0, at),
        random.bytes(random.below(3000)),
        bytes.subarray(at + random.below(900)),
      ]);
      parts.push(
        Buffer.from(`M 100644 inline file${file}\ndata ${versions[file].length}\n`),
        versions[file],
        Buffer.from("\n"),
      );
    }
    parts.push(
      Buffer.from(`M 100644 inline text\ndata 150000\n`),
      Buffer.alloc(150_000, `line of ${number}\n`),
      Buffer.from("\n"),
    );
  }
  parts.push(Buffer.from("M 100644 inline empty\ndata 0\n\ndone\n"));
  for (const name of ["sha1", "sha256"] as const) {
    const path = fixture.repository(name);
    fixture.git(path, ["fast-import", "--quiet", "--done"], Buffer.concat(parts));
    fixture.git(path, ["repack", "-adfq", "--depth=50", "--window=10"]);
    repositories.set(name, path);
  }
});

/** The repository's one pack, with objects of more than `largeBytes` as large ones. */
function open(name: "sha1" | "sha256", largeBytes: number, packs = fixture.packs(repositories.get(name)!)) {
  const caches = new EngineCaches(1e6, 1e6, largeBytes);
  const database = ObjectDatabase.open(objectFormat(name), packs, caches);
  return {
    caches,
    database,
    [Symbol.dispose]() {
      database[Symbol.dispose]();
      caches[Symbol.dispose]();
    },
  };
}

function gather(pieces: Iterable<Uint8Array>): Buffer {
  return Buffer.concat(Array.from(pieces, (piece) => piece.slice()));
}

/** Files without a name that this process has open, beyond those of other tests. */
function spilledFiles(): number {
  const descriptors = process.platform === "linux" ? readdirSync("/proc/self/fd") : [];
  return (
    descriptors.filter((name) => {
      try {
        return readlinkSync(`/proc/self/fd/${name}`).includes(".spilled");
      } catch {
        return false;
      }
    }).length - others
  );
}

/** Positions of blobs of several pieces: first deltas on deltas, then whole ones. */
function largePositions({ database }: ReturnType<typeof open>): { deltas: number[]; whole: number[] } {
  const entry = new PackEntry();
  const pack = database.packs[0]!;
  const found = { deltas: [] as number[], whole: [] as number[] };
  for (let position = 0; position < database.size; position++) {
    if (database.sizeAt(position) > 140_000) {
      pack.readHeader(pack.index.offsetAt(position), entry);
      (entry.baseOffset < 0 ? found.whole : found.deltas).push(position);
    }
  }
  return found;
}

describe.each(repeated(["sha1", "sha256"] as const, 1))("with %s", (name) => {
  test("what is read in pieces, whole or in part, is what is read at once", () => {
    using small = open(name, Number.POSITIVE_INFINITY);
    using large = open(name, 0);
    using between = open(name, 180_000);
    const random = randomFrom(3);
    const { deltas, whole } = largePositions(small);
    expect(deltas.length).toBeGreaterThan(10);
    expect(whole.length).toBeGreaterThan(2);
    for (let position = 0; position < small.database.size; position++) {
      const { type, bytes } = small.database.read(position);
      expect(Buffer.compare(hashObject(small.database.format, type, bytes), small.database.oidAt(position))).toBe(0);
      expect(large.database.read(position)).toEqual({ type, bytes: Uint8Array.from(bytes) });
      expect(Buffer.compare(between.database.read(position).bytes, bytes)).toBe(0);
      expect(Buffer.compare(gather(between.database.readPieces(position)), bytes)).toBe(0);
      const [start, end] = [random.below(bytes.length + 1), random.below(bytes.length + 1)].toSorted(
        (left, right) => left - right,
      );
      for (const isHint of [false, true]) {
        expect(
          Buffer.compare(
            gather(large.database.readPieces(position, undefined, { start: start!, end: end!, isHint })),
            bytes.subarray(start, end),
          ),
        ).toBe(0);
      }
      const limit = random.below(250_000);
      expect(large.database.readUpTo(position, limit) === null).toBe(bytes.length > limit);
    }
    [large, between].forEach(({ caches }) => caches.large[Symbol.dispose]());
    expect(spilledFiles()).toBeLessThanOrEqual(0);
  });
});

test("who leaves leaves no file behind, and others go on; a base is made once for all who want it", () => {
  using own = open("sha1", 0);
  const { deltas } = largePositions(own);
  const expected = gather(own.database.readPieces(deltas[0]!));
  own.caches.large[Symbol.dispose]();
  const readers = Array.from({ length: 3 }, () => own.database.readPieces(deltas[0]!));
  readers.forEach((reader) => reader.next());
  if (process.platform === "linux") {
    expect(spilledFiles()).toBeLessThan(3);
  }
  // Amid the making of the base, and before anything.
  readers[0]!.return();
  own.database.readPieces(deltas[1]!).return();
  const second = readers[1]!;
  for (let next = second.next(); next.value!.length === 0; next = second.next());
  // Amid the content.
  second.return();
  expect(gather(readers[2]!).equals(expected)).toBe(true);
  own.caches.large[Symbol.dispose]();
  expect(spilledFiles()).toBeLessThanOrEqual(0);
  // Nobody wants the base any more, and it is not made to its end.
  const only = own.database.readPieces(deltas[0]!);
  only.next();
  only.return();
  expect(spilledFiles()).toBeLessThanOrEqual(0);
});

test("only so many are read at once, and places become free", () => {
  using own = open("sha1", 0);
  const { whole } = largePositions(own);
  const readers: Generator<Uint8Array>[] = [];
  const fill = (): void => {
    for (let count = 0; count < 1000; count++) {
      const reader = own.database.readPieces(whole[0]!);
      reader.next();
      readers.push(reader);
    }
  };
  expect(fill).toThrow(EngineBusy);
  readers.forEach((reader) => reader.return(undefined));
  expect(gather(own.database.readPieces(whole[0]!)).length).toBe(own.database.sizeAt(whole[0]!));
});

test("of a damaged object never all is given, nor of one on a damaged base anything", () => {
  const random = randomFrom(29);
  const original = fixture.packs(repositories.get("sha1")!)[0]!;
  const bytes = readFileSync(original);
  const copy = fixture.path("damaged.pack");
  copyFileSync(original.replace(/\.pack$/, ".idx"), copy.replace(/\.pack$/, ".idx"));
  for (let round = 0; round < 30; round++) {
    writeFileSync(copy, bytes);
    const damaged = Buffer.from(bytes);
    using intact = open("sha1", 0, [copy]);
    const { deltas, whole } = largePositions(intact);
    const candidates = round % 2 === 0 ? whole : deltas;
    const position = candidates[random.below(candidates.length)]!;
    const pack = intact.database.packs[0]!;
    const entry = new PackEntry();
    pack.readHeader(pack.index.offsetAt(position), entry);
    const at = entry.dataStart + random.below(pack.order.endOf(entry.offset) - entry.dataStart);
    damaged[at]! ^= 1 << random.below(8);
    const others = deltas.filter((delta) => {
      pack.readHeader(pack.index.offsetAt(delta), entry);
      return entry.baseOffset === pack.index.offsetAt(position);
    });
    writeFileSync(copy, damaged);
    using own = open("sha1", 0, [copy]);
    let given = 0;
    const read = (of: number, wanted: PiecesWanted): void => {
      given = 0;
      for (const piece of own.database.readPieces(of, undefined, wanted)) {
        given += piece.length;
      }
    };
    expect(() => read(position, {})).toThrow(CorruptPack);
    expect(given).toBeLessThan(own.database.sizeAt(position));
    // Nor a part of it, although that may be right.
    expect(() => read(position, { start: 0, end: 10 })).toThrow(CorruptPack);
    expect(given).toBe(0);
    for (const delta of others.slice(0, 2)) {
      expect(() => read(delta, {})).toThrow(CorruptPack);
      expect(given).toBe(0);
    }
  }
  expect(spilledFiles()).toBeLessThanOrEqual(0);
});
