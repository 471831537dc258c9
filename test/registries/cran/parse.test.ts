import { describe, expect, test } from "bun:test";
import zlib from "node:zlib";
import { newestOnly, stanzaOf } from "../../../src/registries/cran/index.ts";
import { parseDescription } from "../../../src/registries/cran/parse.ts";
import { fileNameOf, parseAskedFile, readKind } from "../../../src/registries/cran/paths.ts";
import { packingOf, readPackage } from "../../../src/registries/cran/read-package.ts";
import { randomFrom } from "../../support/random.ts";
import { readDamaged } from "../shared/damage.ts";
import { makeTar, makeTarGz, makeZip } from "../shared/make-archive.ts";

const limits = { entries: 1000, bytes: 512 * 1024 * 1024, ratio: 200 };
const minimal = "Package: anvil\nVersion: 1.0\n";
const parse = (text: string) => parseDescription(Buffer.from(text));
const read = async (bytes: Uint8Array) => {
  const file = new Blob([new Uint8Array(bytes)]);
  return readPackage(file, await packingOf(file), limits);
};

describe("DESCRIPTION", () => {
  test("is read with its continued lines, lists and roles", () => {
    const description = parse(
      [
        "Package: anvil.tools",
        "Title: Tools for",
        "  Anvils",
        "Version: 1.2-3",
        "Author: Jane Doe [aut, cre], The Works (owner of",
        "\tthe anvil)",
        "Description: First line.",
        "    Second line.",
        "URL: https://one.example, https://two.example",
        "License: MIT + file LICENSE",
        "Depends: R (>= 3.5),",
        "    methods",
        "Imports: a, b (>= 1.0)",
        "LinkingTo: cpp",
        "Suggests: c,",
        "Enhances: d",
        "OS_type: unix",
        "NeedsCompilation: Yes",
        "",
        "Package: another",
      ].join("\r\n"),
    );
    expect(description).toEqual({
      name: "anvil.tools",
      version: "1.2-3",
      title: "Tools for Anvils",
      description: "First line. Second line.",
      project_url: ["https://one.example", "https://two.example"],
      license: "MIT + file LICENSE",
      authors: ["Jane Doe", "The Works"],
      depends: ["R (>= 3.5)", "methods"],
      imports: ["a", "b (>= 1.0)"],
      linking_to: ["cpp"],
      suggests: ["c"],
      enhances: ["d"],
      os_type: "unix",
      needs_compilation: true,
    });
    expect(stanzaOf(description, { platform: "windows", rVersion: "4.2" }, "abc")).toEqual({
      indexName: "bin/windows/4.2",
      part: "PACKAGES",
      sort: "anvil.tools",
      content:
        "Package: anvil.tools\nVersion: 1.2-3\nDepends: R (>= 3.5), methods\nImports: a, b (>= 1.0)\nLinkingTo: cpp\n" +
        "Suggests: c\nEnhances: d\nLicense: MIT + file LICENSE\nOS_type: unix\nMD5sum: abc\nNeedsCompilation: yes\n",
    });
  });

  test("leaves out what is empty", () => {
    const description = parse(`${minimal}Depends:\nTitle:   \n`);
    expect(description).toEqual({ name: "anvil", version: "1.0", needs_compilation: false });
    expect(stanzaOf(description, "source", "abc").content).toBe(
      "Package: anvil\nVersion: 1.0\nMD5sum: abc\nNeedsCompilation: no\n",
    );
  });

  test("is read as Latin-1 where it is no UTF-8, and as R does where a field comes twice", () => {
    const latin = Buffer.concat([Buffer.from(`${minimal}Encoding: latin1\nTitle: K`), Buffer.from([0xe4, 0x66, 0x0a])]);
    expect(parseDescription(latin).title).toBe("Käf");
    expect(parse(`\u{feff}${minimal}Title: one\nTitle: two\n three\n`).title).toBe("two three");
  });

  test.each([
    ["no name", "Version: 1.0\n"],
    ["no version", "Package: anvil\n"],
    ["nothing", ""],
    ["a name of one letter", "Package: a\nVersion: 1.0\n"],
    ["a name that ends with a dot", "Package: anvil.\nVersion: 1.0\n"],
    ["a name that begins with a digit", "Package: 1anvil\nVersion: 1.0\n"],
    ["a name with a path", "Package: ../anvil\nVersion: 1.0\n"],
    ["a name with an underscore", "Package: an_vil\nVersion: 1.0\n"],
    ["a name with a line behind it", "Package: anvil\n x\nVersion: 1.0\n"],
    ["a version of one number", "Package: anvil\nVersion: 1\n"],
    ["a version with letters", "Package: anvil\nVersion: 1.0a\n"],
    ["a version of five numbers", "Package: anvil\nVersion: 1.2.3.4.5\n"],
    ["a version with a path", "Package: anvil\nVersion: 1.0/../2\n"],
    ["a long name", `Package: a${"b".repeat(120)}\nVersion: 1.0\n`],
    ["a line that is no field", `${minimal}nothing\n`],
    ["a line that continues nothing", ` x\n${minimal}`],
    ["a NUL", `${minimal}Title: \0\n`],
    ["too many fields", `${minimal}${Array.from({ length: 500 }, (_, at) => `F${at}: x\n`).join("")}`],
  ])("with %s is refused", (_, text) => {
    expect(() => parse(text)).toThrow(expect.objectContaining({ code: "bad-package", kind: "malformed" }));
  });

  test("is read or refused however damaged it is", async () => {
    const whole = `${minimal}Title: One\n  Two\nAuthor: A [aut], B (b)\nDepends: R (>= 3.5), x\n`;
    const words = ["Package", "Version: ", "\n", "\n ", "[", "(", "9".repeat(400)];
    expect(
      await readDamaged(Buffer.from(whole), (bytes) => parseDescription(Buffer.from(bytes)), 3000, words),
    ).toBeGreaterThan(300);
  });
});

describe("a package", () => {
  test.each(["anvil/DESCRIPTION", "DESCRIPTION", "./anvil/DESCRIPTION"])("has %s", async (path) => {
    const deep = { path: "anvil/inst/DESCRIPTION", content: "Package: other\nVersion: 9.9\n" };
    const found = { name: "anvil", version: "1.0" };
    expect(await read(makeTarGz([deep, { path, content: minimal }]))).toMatchObject(found);
    expect(await read(makeZip([deep, { path, content: minimal }]))).toMatchObject(found);
  });

  const large = randomFrom(1).bytes(100_000);
  const content = [
    { path: "a/DESCRIPTION", content: minimal },
    { path: "a/data", content: large },
  ];
  test.each([
    ["no archive", Buffer.from("no archive")],
    ["empty", Buffer.alloc(0)],
    ["a gzip of no tar", zlib.gzipSync("x".repeat(2000))],
    ["a tar without gzip", makeTar(content)],
    ["a tar.gz that is cut off", makeTarGz(content).subarray(0, 60_000)],
    ["a tar.gz without its last byte", makeTarGz(content).subarray(0, -1)],
    ["a tar that is cut off", zlib.gzipSync(makeTar(content).subarray(0, 60_000))],
    ["a zip that is cut off", makeZip(content).subarray(0, 60_000)],
    ["a zip whose file is damaged", makeZip([content[0]!, { ...content[1]!, crc: 7 }])],
    ["a package without DESCRIPTION", makeTarGz([{ path: "a/b/DESCRIPTION", content: minimal }])],
    ["a directory DESCRIPTION", makeTarGz([{ path: "a/DESCRIPTION", type: "5" }])],
    ["a link DESCRIPTION", makeTarGz([{ path: "a/DESCRIPTION", type: "2" }])],
    ["a path that leads out of it", makeTarGz([content[0]!, { path: "../../evil", content: "x" }])],
    ["a zip with a path that leads out of it", makeZip([content[0]!, { path: "../evil", content: "x" }])],
    [
      "a large DESCRIPTION",
      makeTarGz([{ path: "a/DESCRIPTION", content: `${minimal}Title: ${"x".repeat(512 * 1024)}` }]),
    ],
    ["a bomb", zlib.gzipSync(makeTar([content[0]!, { path: "a/zeros", content: Buffer.alloc(80 * 1024 * 1024) }]))],
    ["a zip bomb", makeZip([content[0]!, { path: "a/zeros", content: Buffer.alloc(80 * 1024 * 1024) }])],
  ])("that is %s is refused", async (_, bytes) => {
    await expect(read(bytes)).rejects.toMatchObject({ code: "bad-package", kind: "malformed" });
  });

  test("is read or refused however damaged it is", async () => {
    const small = [
      { path: "a/DESCRIPTION", content: minimal },
      { path: "a/b", content: "b".repeat(50) },
    ];
    expect(await readDamaged(makeTarGz(small), read, 500)).toBeGreaterThan(300);
    expect(await readDamaged(makeZip(small), read, 500)).toBeGreaterThan(200);
  });
});

test("an index has the newest upload of each package, with a blank line between records", async () => {
  async function* stanzas() {
    for (const [name, version] of [
      ["a", "2.0"],
      ["A", "1.0"],
      ["ab", "1.0"],
      ["b", "1.0"],
      ["b", "1.1"],
    ]) {
      yield `Package: ${name}\nVersion: ${version}\n`;
    }
  }
  expect((await Array.fromAsync(newestOnly(stanzas()))).join("")).toBe(
    "Package: A\nVersion: 1.0\n\nPackage: ab\nVersion: 1.0\n\nPackage: b\nVersion: 1.1\n",
  );
});

describe("addresses", () => {
  test("are those that R asks for", () => {
    const file = "a_1.0.tgz";
    expect(parseAskedFile("src", `contrib/${file}`)).toEqual({ kind: "source", file, archiveOf: null });
    expect(parseAskedFile("src", `contrib/Archive/a/${file}`)).toEqual({ kind: "source", file, archiveOf: "a" });
    expect(parseAskedFile("bin", `windows/contrib/4.2/${file}`)).toEqual({
      kind: { platform: "windows", rVersion: "4.2" },
      file,
      archiveOf: null,
    });
    expect(parseAskedFile("bin", `macosx/big-sur-arm64/contrib/4.2/PACKAGES`)).toEqual({
      kind: { platform: "macosx/big-sur-arm64", rVersion: "4.2" },
      file: "PACKAGES",
      archiveOf: null,
    });
    for (const path of ["", "contrib", "contrib/x/y", "contrib/Archive/a", "Contrib/a", "contrib/Archive/a/b/c"]) {
      expect(parseAskedFile("src", path)).toBeNull();
    }
    for (const path of ["", "contrib/4.2/a", "windows/4.2/a", "windows/contrib/a"]) {
      expect(parseAskedFile("bin", path)).toBeNull();
    }
  });

  test("of files end as R expects on the platform", () => {
    const named = { name: "a", version: "1.0" };
    const on = (platform: string) => fileNameOf(named, { platform, rVersion: "4.2" }, "tar.gz");
    expect([on("macosx"), on("macosx/big-sur-arm64"), on("linux"), on("windows")]).toEqual([
      "a_1.0.tgz",
      "a_1.0.tgz",
      "a_1.0.tar.gz",
      "a_1.0.tar.gz",
    ]);
    expect(fileNameOf(named, { platform: "windows", rVersion: "4.2" }, "zip")).toBe("a_1.0.zip");
    expect(fileNameOf(named, "source", "tar.gz")).toBe("a_1.0.tar.gz");
  });

  test.each([
    "",
    "platform=windows",
    "rversion=4.2",
    "platform=&rversion=4.2",
    "platform=../x&rversion=4.2",
    "platform=a/contrib&rversion=1",
    "platform=a/b/c/d/e&rversion=1",
    "platform=windows&rversion=..",
    "platform=windows&rversion=4/2",
    "platform=a%00&rversion=4",
  ])('with "%s" name no platform and version of R', (query) => {
    expect(() => readKind(new URLSearchParams(query))).toThrow(expect.objectContaining({ kind: "invalid" }));
  });
});
