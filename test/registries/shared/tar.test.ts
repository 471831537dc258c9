import { describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import zlib from "node:zlib";
import { loadConfig } from "../../../src/config/config.ts";
import { readEnvironment } from "../../../src/config/env.ts";
import { readTar, type TarEntry } from "../../../src/registries/shared/tar.ts";
import { archiveLimits, gunzip, readSmall } from "../../../src/registries/shared/inflate.ts";
import { randomFrom } from "../../support/random.ts";
import { readDamaged, said } from "./damage.ts";
import { makeTar, tarHeader, withChecksum } from "./make-archive.ts";
import { runProgram, ScratchDirectory } from "./run-program.ts";

const limits = { entries: 1000, bytes: 512 * 1024 * 1024, ratio: 200 };

/** In pieces of this size, so that headers and contents lie across them. */
async function* inPieces(bytes: Uint8Array, size = 700): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) {
    yield bytes.subarray(at, at + size);
  }
}

async function list(source: AsyncIterable<Uint8Array>, most = limits.entries): Promise<[string, string, string][]> {
  const found: [string, string, string][] = [];
  for await (const entry of readTar(source, { entries: most })) {
    const content = await readSmall(entry.content(), { path: entry.path, limit: 64 * 1024 });
    found.push([entry.path, entry.kind, content.toString()]);
  }
  return found;
}

describe("readTar", () => {
  test("reads what tar writes in each of its formats", async () => {
    using scratch = new ScratchDirectory();
    const long = `${"a-long-directory/".repeat(12)}${"name".repeat(20)}`;
    mkdirSync(join(scratch.path, "in", long), { recursive: true });
    writeFileSync(join(scratch.path, "in", long, "deep.txt"), "deep");
    writeFileSync(join(scratch.path, "in/ä.txt"), "x".repeat(1500));
    symlinkSync("ä.txt", join(scratch.path, "in/link"));
    for (const format of ["gnu", "posix"]) {
      const file = join(scratch.path, `${format}.tar`);
      await runProgram(["tar", `--format=${format}`, "--sort=name", "-cf", file, "-C", join(scratch.path, "in"), "."]);
      const found = await list(inPieces(await Bun.file(file).bytes()));
      expect(found).toContainEqual([`./${long}/deep.txt`, "file", "deep"]);
      expect(found).toContainEqual(["./ä.txt", "file", "x".repeat(1500)]);
      expect(found).toContainEqual(["./link", "link", ""]);
      expect(found[0]).toEqual(["./", "directory", ""]);
      expect(found).toHaveLength(17);
    }
  });

  test("passes over contents that nobody reads", async () => {
    const tar = makeTar([
      { path: "a", content: "1".repeat(5000) },
      { path: "b", content: "2" },
    ]);
    const paths: string[] = [];
    for await (const { path } of readTar(inPieces(tar), limits)) {
      paths.push(path);
    }
    expect(paths).toEqual(["a", "b"]);
  });

  test("reads an archive that ends without its last blocks", async () => {
    expect(await list(inPieces(makeTar([{ path: "a", content: "1" }], "without end")))).toEqual([["a", "file", "1"]]);
  });

  test("says the size, the mode and the time", async () => {
    const { value } = await readTar(inPieces(makeTar([{ path: "a", content: "123" }])), limits).next();
    const { size, mode, modifiedAt } = value as TarEntry;
    expect({ size, mode, modifiedAt }).toEqual({ size: 3, mode: 0o644, modifiedAt: 0o14700000000 });
  });

  test("takes the path and the size from a header of pax", async () => {
    const tar = Buffer.concat([
      makeTar([{ path: "x", type: "x", content: "18 path=long/name\n9 size=3\n" }], "without end"),
      tarHeader({ path: "short", size: 0 }),
      Buffer.from("abc".padEnd(512, "\0")),
    ]);
    expect(await list(inPieces(tar))).toEqual([["long/name", "file", "abc"]]);
  });

  test("refuses what is no archive", async () => {
    expect(await said(list(inPieces(Buffer.from("x".repeat(512)))))).toContain("no tar archive");
    expect(await said(list(inPieces(Buffer.from("short"))))).toContain("ends in the middle");
  });

  test("refuses an archive that ends within an entry", async () => {
    const tar = makeTar([{ path: "a", content: "1".repeat(5000) }]);
    expect(await said(list(inPieces(tar.subarray(0, 3000))))).toContain("ends in the middle");
  });

  test("refuses paths that lead out of it", async () => {
    for (const path of ["../a", "a/../../b", "/etc/passwd", "..", ""]) {
      expect(await said(list(inPieces(makeTar([{ path }]))))).toContain("is not one within it");
    }
    const long = makeTar([{ path: "x", type: "L", content: "../../evil\0" }, { path: "fine" }]);
    expect(await said(list(inPieces(long)))).toContain('"../../evil"');
  });

  test("refuses more entries than allowed, extended headers among them", async () => {
    const entries = Array.from({ length: 5 }, (_, at) => ({ path: `f${at}` }));
    expect(await list(inPieces(makeTar(entries)), 5)).toHaveLength(5);
    expect(await said(list(inPieces(makeTar(entries)), 4))).toContain("more than 4 entries");
    const headers = Array.from({ length: 5 }, () => ({ path: "x", type: "g" }));
    expect(await said(list(inPieces(makeTar(headers)), 4))).toContain("more than 4 entries");
  });

  test("refuses an extended header that would fill the memory", async () => {
    const tar = tarHeader({ path: "x", type: "x", size: 2 ** 32 });
    expect(await said(list(inPieces(tar)))).toContain("more than 65536 bytes");
  });

  test("refuses sizes that are none", async () => {
    const negative = tarHeader({ path: "a" });
    negative.fill(0xff, 124, 136);
    expect(await said(list(inPieces(withChecksum(negative))))).toContain("too large");
    const text = tarHeader({ path: "a" });
    text.write("0000000xyz", 124, "latin1");
    expect(await said(list(inPieces(withChecksum(text))))).toContain("a number that is none");
    const pax = makeTar([{ path: "x", type: "x", content: "12 size=-12\n" }, { path: "a" }]);
    expect(await said(list(inPieces(pax)))).toContain('the size "-12"');
  });

  test("reads or refuses whatever is damaged", async () => {
    const tar = makeTar([
      { path: "x", type: "x", content: "18 path=long/name\n" },
      { path: "a", content: "1".repeat(600) },
      { path: "b/" },
      { path: "l", type: "L", content: "another\0" },
      { path: "c", content: randomFrom(1).bytes(100) },
    ]);
    const refused = await readDamaged(tar, (bytes) => list(inPieces(bytes)), 2000);
    expect(refused).toBeGreaterThan(500);
  });
});

test("the limits of archives are settings", () => {
  const config = loadConfig(
    readEnvironment({
      STITHY_PACKAGES__ARCHIVE_ENTRIES: "7",
      STITHY_PACKAGES__UNPACKED_LIMIT_BYTES: "1048576",
      STITHY_PACKAGES__UNPACKED_RATIO: "9",
    }),
  );
  expect(archiveLimits({ config })).toEqual({ entries: 7, bytes: 2 ** 20, ratio: 9 });
});

describe("gunzip", () => {
  const count = async (source: AsyncIterable<Uint8Array>): Promise<number> => {
    let bytes = 0;
    for await (const piece of source) {
      bytes += piece.length;
    }
    return bytes;
  };

  test("reads all members", async () => {
    const twice = Buffer.concat([zlib.gzipSync("one"), zlib.gzipSync("two")]);
    expect(await readSmall(gunzip(inPieces(twice, 5), limits), { path: "", limit: 10 })).toEqual(Buffer.from("onetwo"));
  });

  test("refuses what is damaged, ends early or is no gzip", async () => {
    const whole = zlib.gzipSync(randomFrom(1).bytes(5000));
    const damaged = Buffer.from(whole);
    damaged[damaged.length - 6]! ^= 1;
    for (const bytes of [
      whole.subarray(0, 4000),
      whole.subarray(0, -1),
      damaged,
      Buffer.from("no gzip"),
      Buffer.alloc(0),
    ]) {
      expect(await said(count(gunzip(inPieces(bytes), limits)))).toContain("damaged or ends early");
    }
  });

  test("stops a bomb long before it is unpacked", async () => {
    const bomb = zlib.gzipSync(Buffer.alloc(100 * 1024 * 1024));
    expect(await said(count(gunzip(inPieces(bomb), limits)))).toContain("more than 200 times");
    expect(await said(count(gunzip(inPieces(bomb), { bytes: 1024 * 1024, ratio: 10_000 })))).toContain(
      "more than 1048576 bytes",
    );
    expect(await count(gunzip(inPieces(bomb), { bytes: 2 ** 40, ratio: 10_000 }))).toBe(100 * 1024 * 1024);
  });

  test("throws what reading its source throws", async () => {
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield zlib.gzipSync("one").subarray(0, 8);
      throw new RangeError("the disk is gone");
    }
    await expect(count(gunzip(failing(), limits))).rejects.toThrow(new RangeError("the disk is gone"));
  });
});
