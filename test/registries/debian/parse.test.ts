import { afterAll, describe, expect, test } from "bun:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { fieldOf } from "../../../src/registries/debian/control.ts";
import { parseDeb, parsePoolFile, poolFile } from "../../../src/registries/debian/parse.ts";
import { BadPackage } from "../../../src/registries/shared/bad-package.ts";
import { randomFrom } from "../../support/random.ts";
import { missingPrograms, runProgram, ScratchDirectory } from "../shared/run-program.ts";
import { arOf, debOf, makeDeb, plainControl, tarOf } from "./deb.ts";

const isMissing = missingPrograms("Debian packages", ["dpkg-deb", "xz"]);
const scratch = new ScratchDirectory();
afterAll(() => scratch[Symbol.dispose]());

const limits = { bytes: 8 * 1024 * 1024, entries: 100, ratio: 200 };
const parse = (bytes: Uint8Array) => parseDeb(new Blob([bytes]), limits);
const withControl = (text: string) => debOf("control.tar", tarOf([["./control", Buffer.from(text)]]));

async function refusal(bytes: Uint8Array): Promise<string> {
  try {
    await parse(bytes);
  } catch (error) {
    expect(error).toBeInstanceOf(BadPackage);
    return (error as Error).message;
  }
  throw new Error("It was taken");
}

describe.skipIf(isMissing)("packages of dpkg-deb", () => {
  test.each(["none", "gzip", "xz", "zstd"] as const)(
    "are read when they are compressed with %s",
    async (compression) => {
      const deb = await makeDeb(scratch.path, {
        name: "lib+x",
        version: "2:1.0~rc1-3",
        architecture: "amd64",
        compression,
      });
      const { fields, ...rest } = await parse(deb);
      expect(rest).toEqual({ name: "lib+x", version: "2:1.0~rc1-3", architecture: "amd64" });
      expect(fields.map(({ name }) => name)).toEqual([
        "Package",
        "Version",
        "Architecture",
        "Maintainer",
        "Description",
      ]);
      expect(fieldOf(fields, "description")).toBe(
        "the package lib+x\n It has one file.\n .\n And two paragraphs of description.",
      );
    },
  );

  test("that were cut off anywhere are refused, and so are those with a wrong byte that matters", async () => {
    const deb = await makeDeb(scratch.path, { name: "cut", compression: "xz" });
    for (let length = 0; length < deb.length - 1; length += 7) {
      expect(await refusal(deb.subarray(0, length))).not.toBe("");
    }
  });

  test("bombs of xz are refused without being unpacked", async () => {
    const zeros = scratch.path + "/zeros";
    await Bun.write(zeros, tarOf([["./bomb", 30_000_000]]).subarray(0, 512));
    await runProgram(["truncate", "-s", "30000000", zeros]);
    await runProgram(["xz", "-0", zeros]);
    const bomb = await Bun.file(`${zeros}.xz`).bytes();
    expect(await refusal(debOf("control.tar.xz", bomb))).toMatch(/unpacks to more than 8388608 bytes/);
    // The library's one context is free again.
    expect((await parse(await makeDeb(scratch.path, { name: "after", compression: "xz" }))).name).toBe("after");
  });
});

describe("no packages", () => {
  test.each([
    ["nothing", new Uint8Array(0), /does not begin as an ar archive/],
    ["a text", Buffer.from("hello, this is a text"), /does not begin as an ar archive/],
    ["an archive with nothing in it", arOf([]), /does not begin with debian-binary/],
    ["another archive", arOf([["hello.o", Buffer.from("x")]]), /does not begin with debian-binary/],
    ["another format", arOf([["debian-binary", Buffer.from("3.0\n")]]), /does not begin with debian-binary/],
    ["no control archive", arOf([["debian-binary", Buffer.from("2.0\n")]]), /no control archive/],
    [
      "no data archive",
      arOf([
        ["debian-binary", Buffer.from("2.0\n")],
        ["control.tar", tarOf([["control", Buffer.from(plainControl)]])],
      ]),
      /no data archive/,
    ],
    ["lzma", debOf("control.tar.lzma", Buffer.from("x")), /compressed by no way that is read here/],
    ["gzip that is none", debOf("control.tar.gz", Buffer.from("hello")), /damaged or ends early/],
    ["xz that is none", debOf("control.tar.xz", Buffer.from("hello")), /damaged or ends early/],
    ["empty xz", debOf("control.tar.xz", new Uint8Array(0)), /is empty/],
    ["zstd that is none", debOf("control.tar.zst", Buffer.from("hello")), /damaged or ends early/],
    ["tar that is none", debOf("control.tar", Buffer.alloc(1024, "x")), /This is no tar archive/],
    ["no control file", debOf("control.tar", tarOf([["./other", Buffer.from("x")]])), /no file control/],
    [
      "control in a directory",
      debOf("control.tar", tarOf([["a/control", Buffer.from(plainControl)]])),
      /no file control/,
    ],
    [
      "a large control file",
      debOf("control.tar", tarOf([["./control", Buffer.alloc(2 ** 18 + 1, "x")]])),
      /more than 262144/,
    ],
    ["a control file that ends early", debOf("control.tar", tarOf([["./control", 6000]])), /ends in the middle/],
    [
      "entries without number",
      debOf("control.tar", tarOf(Array.from({ length: 101 }, (_, index) => [`./${index}`, new Uint8Array(0)]))),
      /more than 100 entries/,
    ],
    [
      "members without number",
      arOf(Array.from({ length: 17 }, () => ["_x", new Uint8Array(0)])),
      /more than 16 members/,
    ],
    ["a bomb of gzip", debOf("control.tar.gz", gzipSync(bombTar(9_000_000))), /more than 8388608 bytes/],
    ["a bomb of zstd", debOf("control.tar.zst", zstdCompressSync(bombTar(9_000_000))), /more than 8388608 bytes/],
  ] as const)("%s", async (_, bytes, message) => {
    expect(await refusal(bytes)).toMatch(message);
  });

  test.each([
    ["no Package", "Version: 1\nArchitecture: all\n", "The control file has no Package"],
    ["an empty Version", "Package: aa\nVersion:\nArchitecture: all\n", "The control file has no Version"],
    ["no Architecture", "Package: aa\nVersion: 1\n", "The control file has no Architecture"],
    ["a name with ..", "Package: ../aa\nVersion: 1\nArchitecture: all\n", '"../aa" is no Package of a Debian package'],
    ["a name of one letter", "Package: a\nVersion: 1\nArchitecture: all\n", '"a" is no Package of a Debian package'],
    ["a version with /", "Package: aa\nVersion: 1/2\nArchitecture: all\n", '"1/2" is no Version of a Debian package'],
    ["a version with _", "Package: aa\nVersion: 1_2\nArchitecture: all\n", '"1_2" is no Version of a Debian package'],
    [
      "an architecture with /",
      "Package: aa\nVersion: 1\nArchitecture: a/b\n",
      '"a/b" is no Architecture of a Debian package',
    ],
    [
      "too many fields",
      Array.from({ length: 201 }, (_, at) => `F${at}: a\n`).join(""),
      "The control file has more than 200 fields",
    ],
    ["a field twice", "Package: aa\npackage: bb\n", 'The control file has the field "package" twice'],
    ["two paragraphs", `${plainControl}\nFilename: /etc/passwd\n`, "The control file has more than one paragraph"],
    ["no field", "hello\n", 'The control file has a line that is no field: "hello"'],
    ["a continuation of nothing", " hello\n", 'The control file has a line that is no field: "hello"'],
    ["another character set", "Package: aa\nMaintainer: \uD800\0\n", "The control file is no text in UTF-8"],
  ])("%s in a control file", async (_, text, message) => {
    expect(await refusal(withControl(text))).toBe(message);
  });
});

/** An archive with so many bytes of nothing. */
function bombTar(size: number): Buffer {
  return Buffer.concat([tarOf([["./zeros", size]]).subarray(0, 512), Buffer.alloc(size)]);
}

test("members between those of the format are passed over, and names may end with a slash", async () => {
  const deb = arOf([
    ["debian-binary/", Buffer.from("2.0\n")],
    ["_gpgorigin", Buffer.from("a signature")],
    [
      "control.tar/",
      tarOf([
        ["./postinst", Buffer.from("#!/bin/sh\n")],
        ["./control", Buffer.from(plainControl)],
      ]),
    ],
    ["data.tar.bz2/", Buffer.from("not read")],
  ]);
  expect(await parse(deb)).toMatchObject({ name: "plain", version: "1.0", architecture: "all" });
});

test("a file in the pool is named by its package, with its epoch, and read back", () => {
  const names = { name: "lib+x", version: "2:1.0~rc1-3", architecture: "amd64" };
  expect(poolFile(names)).toBe("lib+x_2:1.0~rc1-3_amd64.deb");
  expect(parsePoolFile("lib+x_2:1.0~rc1-3_amd64.deb")).toEqual(names);
  for (const other of ["", "x.deb", "a_b.deb", "a_b_c.rpm", "a_b_c_d.deb"]) {
    expect(parsePoolFile(other)).toBeNull();
  }
});

test("a thousand damaged packages are taken or refused, and nothing else", async () => {
  const control = tarOf([
    ["./control", Buffer.from(plainControl)],
    ["./md5sums", Buffer.alloc(700, "a")],
  ]);
  const seeds = [
    debOf("control.tar", control),
    debOf("control.tar.gz", gzipSync(control)),
    debOf("control.tar.zst", zstdCompressSync(control)),
    ...(isMissing ? [] : [await makeDeb(scratch.path, { name: "fuzzed", compression: "xz" })]),
  ];
  let taken = 0;
  for (let run = 0; run < 1000; run++) {
    const random = randomFrom(run);
    const bytes = Buffer.from(seeds[random.below(seeds.length)]!);
    for (let changes = 1 + random.below(4); changes > 0; changes--) {
      bytes[random.below(bytes.length)] = random.below(256);
    }
    const cut = random.below(4) === 0 ? bytes.subarray(0, random.below(bytes.length)) : bytes;
    try {
      await parse(cut);
      taken += 1;
    } catch (error) {
      if (!(error instanceof BadPackage)) {
        throw new Error(`Run ${run}`, { cause: error });
      }
    }
  }
  expect(taken).toBeGreaterThan(0);
  expect(taken).toBeLessThan(1000);
});
