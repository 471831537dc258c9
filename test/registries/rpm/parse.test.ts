import { describe, expect, test } from "bun:test";
import { BadRpm, RpmHeader } from "../../../src/registries/rpm/header.ts";
import { compareRpmVersions } from "../../../src/registries/rpm/compare-versions.ts";
import { parseRpmHeaders } from "../../../src/registries/rpm/parse.ts";
import { readRpm } from "../../../src/registries/rpm/read-rpm.ts";
import { filelistsStanza, otherStanza, primaryStanza } from "../../../src/registries/rpm/stanzas.ts";
import { fuzz } from "../../git/fuzz/fuzz.ts";
import type { FuzzTarget, Verdict } from "../../git/fuzz/fuzz-target.ts";
import { mutate } from "../../git/fuzz/mutate.ts";
import { makeHeader, makeRpm, type RpmToMake, type TagValue } from "./make-rpm.ts";

const limit = 1024 * 1024;
const read = (bytes: Uint8Array<ArrayBuffer>) => readRpm(new Blob([bytes]), limit);
const facts = { sha256: "0".repeat(64), bytes: 1, time: 1 };

/** The tags of these files. */
function filesOf(paths: readonly (readonly [directory: number, name: string])[], directories: readonly string[]) {
  return {
    1116: { numbers: paths.map(([directory]) => directory) },
    1117: paths.map(([, name]) => name),
    1118: directories,
    1030: { numbers: paths.map(() => 0o100644), bits: 16 },
    1037: { numbers: paths.map(() => 0) },
  } as const;
}

test("what a package says is read", async () => {
  const { package: rpm } = await read(
    makeRpm({ name: "tongs", epoch: 2, version: "1.0~rc1", release: "3.el9", arch: "x86_64" }),
  );
  expect(rpm).toMatchObject({
    name: "tongs",
    epoch: 2,
    version: "1.0~rc1",
    release: "3.el9",
    arch: "x86_64",
    summary: "The tongs",
    buildTime: 1_700_000_000,
    archiveBytes: 124,
    headerStart: 360,
    files: [],
    changelog: [],
  });
  expect(rpm.dependencies.provides).toEqual([
    { name: "tongs", flags: "EQ", epoch: "2", version: "1.0~rc1", release: "3.el9", isBefore: false },
  ]);
  expect((await read(makeRpm({ arch: "x86_64", tags: { 1106: { numbers: [1] } } }))).package.arch).toBe("src");
});

describe("refused", () => {
  const whole = makeRpm();
  const changed = (at: number, by: number) => {
    const bytes = Buffer.from(whole);
    bytes[at < 0 ? bytes.length + at : at]! ^= by;
    return bytes;
  };
  const cases: readonly [what: string, bytes: Buffer<ArrayBuffer>, message: string][] = [
    ["nothing", Buffer.alloc(0), "does not begin with edabeedb"],
    ["text", Buffer.from("no package\n".repeat(100)), "does not begin with edabeedb"],
    ["a lead alone", whole.subarray(0, 96), "ends within a header"],
    ["an end within the signatures", whole.subarray(0, 200), "ends within a header"],
    ["an end within the header", whole.subarray(0, 500), "ends within a header"],
    ["an end within the payload", whole.subarray(0, -1), "bytes follow its signatures"],
    ["something behind the payload", Buffer.concat([whole, Buffer.from("x")]), "bytes follow its signatures"],
    ["another payload", changed(-1, 1), "payload does not have the sha256"],
    ["another header", changed(whole.indexOf("anvil"), 1), "header does not have the sha256"],
    [
      "another header by its SHA-1",
      makeRpm({ signatureTags: { 273: null, 269: "0".repeat(40) } }),
      "header does not have the sha1",
    ],
    [
      "more entries than there may be",
      Buffer.concat([whole.subarray(0, 96), Buffer.from("8eade801000000000001000000000000", "hex")]),
      "has 65536 entries",
    ],
    [
      "a header of 4 GiB",
      Buffer.concat([whole.subarray(0, 96), Buffer.from("8eade8010000000000000001ffffffff", "hex")]),
      "more than the 1048576 that are read",
    ],
    ["a large header", makeRpm({ tags: { 1005: { translated: "x".repeat(limit) } } }), "that are read"],
  ];
  test.each(cases)("%s", async (_, bytes, message) => {
    const refused = await read(bytes).then(
      () => null,
      (error: unknown) => error,
    );
    expect(refused).toBeInstanceOf(BadRpm);
    expect((refused as BadRpm).message).toContain(message);
  });

  const wrong: readonly [what: string, rpm: RpmToMake, message: string][] = [
    ["no name", { tags: { 1000: null } }, 'its name is ""'],
    ["a name that leaves its directory", { name: "../../etc" }, 'its name is "../../etc"'],
    ["a name of dots", { name: "anvil", tags: { 1000: ".." } }, 'its name is ".."'],
    ["a version with a slash", { version: "1/2" }, 'its version is "1/2"'],
    ["a release with a line feed", { release: "1\n" }, 'its release is "1\n"'],
    ["no architecture", { tags: { 1022: null } }, 'its architecture is ""'],
    ["a long name", { name: "a".repeat(201) }, "its name is"],
    ["a name that is a number", { tags: { 1000: { numbers: [1] } } }, "the tag 1000 has no text"],
    ["an epoch that is a text", { tags: { 1003: "1" } }, "the tag 1003 has no numbers"],
    ["dependencies without some flags", { tags: { 1112: { numbers: [8, 8] } } }, "not have as many values"],
    ["files without names", { tags: { ...filesOf([[0, "a"]], ["/"]), 1117: ["a", "b"] } }, "not have as many"],
    ["changes without times", { tags: { 1081: ["a"], 1082: ["b"] } }, "not have as many values"],
  ];
  test.each(wrong)("%s", async (_, rpm, message) => {
    await expect(read(makeRpm(rpm))).rejects.toThrow(message);
  });

  test("a header whose paths are far longer than it is", async () => {
    const paths = Array.from({ length: 2000 }, () => [0, "a"] as const);
    const bomb = makeRpm({ tags: filesOf(paths, [`/${"x".repeat(20_000)}/`]) });
    expect(bomb.length).toBeLessThan(60_000);
    await expect(read(bomb)).rejects.toThrow("the paths of its files have more than");
  });

  test("a package whose stanza is far longer than its header", async () => {
    const bomb = makeRpm({ tags: filesOf([], []) });
    const { package: rpm } = await read(bomb);
    const files = Array.from({ length: 700 }, () => ({ path: "&".repeat(20_000), type: "" as const }));
    expect(() => filelistsStanza({ ...rpm, files }, facts)).toThrow("more than 16777216 characters");
  });

  test.each([
    ["50,001 dependencies", 50_001, "more than 50000 dependencies"],
    ["200,001 dependencies", 200_001, "has 200001 values"],
  ])("a package with %s", async (_, count, message) => {
    const texts = (text: string) => Array.from({ length: count }, () => text);
    const flags = { numbers: Array.from({ length: count }, () => 0) };
    const file = makeRpm({ tags: { 1049: texts("a"), 1048: flags, 1050: texts("") } });
    await expect(readRpm(new Blob([file]), 4 * limit)).rejects.toThrow(message);
  });

  test.each([
    ["a tag twice", (bytes: Buffer) => bytes.copy(bytes, 48, 32, 48), "twice"],
    ["values outside of it", (bytes: Buffer) => bytes.writeUInt32BE(0x7fff_fff0, 40), "are not in the header"],
    ["more values than bytes", (bytes: Buffer) => bytes.writeUInt32BE(0x7fff_fff0, 44), "has 2147483632 values"],
    ["no region", (bytes: Buffer) => bytes.writeUInt32BE(64, 16), "does not begin with its region"],
    ["a short region", (bytes: Buffer) => bytes.writeInt32BE(-32, bytes.length - 8), "outside of its region"],
    ["a region elsewhere", (bytes: Buffer) => bytes.writeUInt32BE(0xffff_ffff, 24), "end of a region"],
  ])("a header with %s", (_, damage, message) => {
    const bytes = makeHeader(
      "main",
      new Map<number, TagValue>([
        [1000, ["a", "b"]],
        [1001, "1"],
        [1002, "1"],
      ]),
    );
    expect(new RpmHeader(Buffer.from(bytes), 63).texts(1000)).toEqual(["a", "b"]);
    damage(bytes);
    expect(() => new RpmHeader(bytes, 63).texts(1000)).toThrow(message);
  });
});

test("texts that no XML can have lose what it cannot", async () => {
  const { package: rpm } = await read(
    makeRpm({
      tags: {
        1005: { translated: "a\x01b\uffff\ud83d\ude00<&>\"'\r\n\t" },
        1081: ['\x02<"\n'],
        1080: { numbers: [5] },
        1082: ["&"],
      },
    }),
  );
  expect(primaryStanza(rpm, facts)).toContain("<description>ab😀&lt;&amp;&gt;\"'&#13;\n\t</description>");
  expect(otherStanza(rpm, facts)).toContain('<changelog author="&lt;&quot;&#10;" date="5">&amp;</changelog>');
});

// rpm --eval '%{lua:print(rpm.vercmp("1.0", "1.0"))}' says the same of each.
test.each([
  ["1.0", "1.0", 0],
  ["1.0", "2.0", -1],
  ["2.0.1a", "2.0.1", 1],
  ["5.5p1", "5.5p10", -1],
  ["10xyz", "10.1xyz", -1],
  ["xyz.4", "8", -1],
  ["1.0010", "1.9", 1],
  ["1.05", "1.5", 0],
  ["1..0", "1.0", 0],
  ["6.0.rc1", "6.0", 1],
  ["1.0~rc1", "1.0", -1],
  ["1.0~rc1", "1.0~rc1~git1", 1],
  ["1.0^", "1.0", 1],
  ["1.0^git1", "1.0^git2", -1],
  ["1.0^git1", "1.01", -1],
  ["1.0^git1~pre", "1.0^git1", -1],
  ["1.0~rc1^git1", "1.0~rc1", 1],
  ["a", "1", -1],
  ["", "1", -1],
])("version %s beside %s", (one, other, expected) => {
  expect(Math.sign(compareRpmVersions(one, other))).toBe(expected);
  expect(Math.sign(compareRpmVersions(other, one))).toBe(expected === 0 ? 0 : -expected);
});

describe("damaged packages are refused or read, and nothing else", () => {
  const seeds = [
    makeRpm({
      epoch: 1,
      tags: {
        ...filesOf(
          [
            [0, "a"],
            [1, "b"],
          ],
          ["/usr/bin/", "/etc/"],
        ),
        1080: { numbers: [7] },
        1081: ["x"],
        1082: ["y"],
      },
    }),
    makeRpm({
      tags: { 1049: ["libc.so.6()", "a", "/bin/sh"], 1048: { numbers: [0, 12, 64] }, 1050: ["", "1:2-3", ""] },
    }),
  ];
  const words = ["8eade801", "00000008", "00000006", "00000009", "0000003f0000000700000000", "ffffffff"].map((hex) =>
    Buffer.from(hex, "hex"),
  );
  const target = (name: string, make: FuzzTarget["make"], run: FuzzTarget["run"]): FuzzTarget => ({
    name,
    make,
    run,
    [Symbol.dispose]() {},
  });
  const mainOf = (bytes: Buffer) => bytes.subarray(bytes.indexOf("8eade801", 200, "hex"), -124);
  const none = new RpmHeader(makeHeader("signature", new Map()), 62);

  test("a thousand files", async () => {
    const file = target(
      "rpm",
      (random) => mutate(random, seeds[random.below(2)]!, words),
      async (input): Promise<Verdict> => {
        await readRpm(new Blob([Uint8Array.from(input)]), limit);
        return "taken";
      },
    );
    const { taken, refused } = await fuzz(file, { runs: 1000, seed: 20_261_123 });
    expect([taken > 0, refused > 500]).toEqual([true, true]);
  });

  test("three thousand headers, whose digests nobody compares, to their stanzas", async () => {
    const header = target(
      "rpm-header",
      (random) => mutate(random, mainOf(seeds[random.below(2)]!), words),
      (input) => {
        const rpm = parseRpmHeaders(none, new RpmHeader(Buffer.from(input), 63), { start: 0, isSource: false });
        for (const stanza of [primaryStanza, filelistsStanza, otherStanza]) {
          stanza(rpm, facts);
        }
        return "taken";
      },
    );
    const { taken, refused } = await fuzz(header, { runs: 3000, seed: 20_261_123 });
    expect([taken > 100, refused > 500]).toEqual([true, true]);
  });
});
