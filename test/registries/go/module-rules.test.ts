import { describe, expect, test } from "bun:test";
import { foldCase, PathCollisions } from "../../../src/domain/packages/go-modules/path-collisions.ts";
import {
  filePathFault,
  matchesMajor,
  modulePathFault,
  splitPathVersion,
  unescapeModule,
} from "../../../src/domain/packages/go-modules/module-path.ts";
import {
  canonicalVersion,
  compareVersions,
  isPseudoVersion,
  latestVersion,
} from "../../../src/domain/packages/go-modules/semver.ts";
import { checkModuleZip } from "../../../src/registries/go/check-module-zip.ts";
import { StithyError } from "../../../src/lib/errors.ts";
import { mutate } from "../../git/fuzz/mutate.ts";
import { randomFrom } from "../../support/random.ts";
import { makeZip } from "./make-zip.ts";

describe("versions", () => {
  test.each([
    ["v1.2.3", "v1.2.3"],
    ["v1", "v1.0.0"],
    ["v1.2", "v1.2.0"],
    ["v1.2.3-pre.1+meta", "v1.2.3-pre.1"],
    ["v2.0.0+incompatible", "v2.0.0+incompatible"],
    ["v1.2.3-01", null],
    ["v1.2.3-rc.01", null],
    ["v1.2.3-01a", "v1.2.3-01a"],
    ["v01.2.3", null],
    ["v1.2-pre", null],
    ["1.2.3", null],
    ["v1.2.3-", null],
    [`v1.2.3-${"a".repeat(200)}`, null],
  ])("%s is canonically %s", (version, canonical) => {
    expect(canonicalVersion(version)).toBe(canonical);
  });

  test("come in the order of semver.org, section 11", () => {
    const ordered = [
      "none",
      "v0.9.0",
      "v1.0.0-1",
      "v1.0.0-2",
      "v1.0.0-11",
      "v1.0.0-alpha",
      "v1.0.0-alpha.1",
      "v1.0.0-alpha.beta",
      "v1.0.0-beta.2",
      "v1.0.0-beta.11",
      "v1.0.0-rc.1",
      "v1.0.0",
      "v1.9.0",
      "v1.10.0",
      "v10.0.0",
    ];
    expect(ordered.toReversed().sort(compareVersions)).toEqual(ordered);
    expect(compareVersions("v1.0.0+a", "v1.0.0")).toBe(0);
    expect(latestVersion(["v1.1.0-rc.1", "v1.0.0", "v0.9.0"])).toBe("v1.0.0");
    expect(latestVersion(["v1.1.0-rc.1", "v1.1.0-rc.2"])).toBe("v1.1.0-rc.2");
    expect(latestVersion([])).toBeNull();
  });

  test.each([
    ["v0.0.0-20200102030405-0123456789ab", true],
    ["v1.2.4-0.20200102030405-0123456789ab", true],
    ["v1.2.3-pre.0.20200102030405-0123456789ab", true],
    ["v2.0.1-0.20200102030405-0123456789ab+incompatible", true],
    ["v1.2.3-20200102030405-0123456789ab", false],
    ["v0.0.0-2020-0123456789ab", false],
    ["v1.2.3", false],
  ])("%s stands for a commit: %s", (version, expected) => {
    expect(isPseudoVersion(version)).toBe(expected);
  });
});

test.each([
  ["example.test/a", "v1.0.0", true],
  ["example.test/a", "v2.0.0", false],
  ["example.test/a", "v2.0.0+incompatible", true],
  ["example.test/a/v2", "v2.1.0", true],
  ["example.test/a/v2", "v1.0.0", false],
  ["gopkg.in/yaml.v2", "v2.1.0", true],
  ["gopkg.in/yaml.v1", "v0.0.0-20200102030405-0123456789ab", true],
  ["gopkg.in/yaml.v2-unstable", "v2.1.0", true],
])("%s has %s: %s", (path, version, expected) => {
  expect(modulePathFault(path)).toBeNull();
  expect(matchesMajor(version, splitPathVersion(path)?.major ?? "?")).toBe(expected);
});

test.each([
  "",
  "a",
  "a/b",
  "Example.test/a",
  "-a.test",
  "a.test/",
  "a.test//b",
  "a.test/.b",
  "a.test/b.",
  "a.test/b+",
  "a.test/é",
])('the module path "%s" is refused', (path) => {
  expect(modulePathFault(path)).not.toBeNull();
});

test.each(["a.test/v1", "a.test/v02", "a.test/v2.0", "gopkg.in/yaml", "a.test/con", "a.test/NUL.x", "a.test/x~1"])(
  'the module path "%s" is refused, too',
  (path) => {
    expect(modulePathFault(path)).not.toBeNull();
  },
);

test.each([
  ["a b/[x]@{y}.go", true],
  ["日本/é.go", true],
  ["x~1", true],
  ["..a/b", true],
  ["a\u0301.go", false],
  ["😀.go", false],
  ["a'b", false],
  ["a\\b", false],
  ["a/../b", false],
  ["a/com1.txt", false],
])('a file may be called "%s": %s', (path, expected) => {
  expect(filePathFault(path) === null).toBe(expected);
});

test("upper-case letters are exclamation marks in addresses", () => {
  expect(unescapeModule("github.com/!azure/go-!a!b")).toBe("github.com/Azure/go-AB");
  expect(unescapeModule("a!")).toBeNull();
  expect(unescapeModule("!!a")).toBeNull();
  expect(unescapeModule("!A")).toBeNull();
});

test("letters are folded one by one", () => {
  const folded = (...texts: string[]) => new Set(texts.map(foldCase)).size;
  expect(folded("K", "k", "\u212a")).toBe(1);
  expect(folded("s", "S", "ſ")).toBe(1);
  expect(folded("Σ", "σ", "ς")).toBe(1);
  expect(folded("ß", "ẞ")).toBe(1);
  expect(folded("ß", "ss")).toBe(2);
  expect(folded("i", "ı", "İ")).toBe(3);
});

test("paths collide by case, and as files and directories", () => {
  const paths = new PathCollisions();
  expect(paths.add("a/b/c", false)).toBeNull();
  expect(paths.add("a/b/d", false)).toBeNull();
  expect(paths.add("A/x", false)).toContain("only in case");
  expect(paths.add("a/b/c", false)).toContain("twice");
  expect(paths.add("a/b", false)).toContain("directory");
  expect(paths.add("a/b/c/e", false)).toContain("directory");
});

test("two thousand damaged zips are refused with a reason, or are whole", async () => {
  const random = randomFrom(20_261_123);
  const name = "example.test/fuzz@v1.0.0";
  const whole = makeZip([
    [`${name}/go.mod`, "module example.test/fuzz\n"],
    [`${name}/a.go`, "package a\n".repeat(50)],
    [`${name}/b/é.txt`, ""],
  ]);
  const limits = { entries: 100, bytes: 1_000_000, ratio: 1000 };
  const told = { taken: 0, refused: 0 };
  for (let round = 0; round < 2000; round++) {
    const zip = mutate(random, whole);
    try {
      await checkModuleZip(new Blob([new Uint8Array(zip)]), limits);
      told.taken++;
    } catch (error) {
      expect(error).toBeInstanceOf(StithyError);
      expect(["invalid", "malformed"]).toContain((error as StithyError).kind);
      told.refused++;
    }
  }
  expect(told.taken).toBeGreaterThan(0);
  expect(told.refused).toBeGreaterThan(1000);
});
