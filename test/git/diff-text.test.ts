import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { mkdirSync, writeFileSync } from "node:fs";
import { compareTrees } from "../../src/git/diff/compare-trees.ts";
import type { RenameOptions } from "../../src/git/diff/detect-renames.ts";
import { PatchOutput } from "../../src/git/diff/patch-output.ts";
import { defaultPatch, writeFilePatch, type PatchOptions } from "../../src/git/diff/write-file-patch.ts";
import { sha1 } from "../../src/git/objects/object-format.ts";
import { hexToBytes } from "../../src/git/objects/oid.ts";
import { EngineCaches } from "../../src/git/odb/engine-caches.ts";
import { ObjectDatabase } from "../../src/git/odb/object-database.ts";
import { randomOf } from "./generated-history.ts";
import { GitFixture } from "./git-fixture.ts";
import { packedTrees } from "./packed-trees.ts";
import { randomTrees } from "./random-trees.ts";

/*
 * Patches between trees made at random, and between some that are made to be hard, against what git prints.
 */
const fixture = new GitFixture();
const caches = new EngineCaches(32 << 20);
let odb: ObjectDatabase;
let repository = "";
let pairs: (readonly [before: string, after: string])[] = [];

const lines = (count: number, line: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => line(at)).join("");
const hard: readonly ReadonlyMap<string, string | Uint8Array>[] = [
  new Map<string, string | Uint8Array>([
    ['dir/b\u00e4r "q\\\t\n.txt', "100644 a\nb\n"],
    ["with space", "100644 a\nb"],
    ["gone empty", "100644 "],
    ["link", "120000 there"],
    ["module", `160000 ${"1".repeat(40)}`],
    ["mode", "100644 x\n"],
    ["type", "100644 x\n"],
    ["kind", `160000 ${"2".repeat(40)}`],
    ["late nul", `100644 ${"a".repeat(8000)}\0\n`],
    ["repeated", `100644 ${lines(400, (at) => `${at % 3}\n`)}`],
    ["shuffled", `100644 ${lines(3000, (at) => `line ${(at * 7919) % 3001}\n`)}`],
    ["frequent", `100644 ${lines(300, (at) => (at % 4 === 0 ? `u${at}\n` : "}\n"))}`],
    ["blanks", `100644 ${lines(60, (at) => (at % 5 === 0 ? `f${at}\n` : "\n"))}`],
    ["tail", `100644 a\nb\n${"c\n".repeat(2000)}`],
    [
      "heading",
      Buffer.concat([Buffer.from("100644 name \xff cut\n", "latin1"), Buffer.from("\n".repeat(9)), Buffer.from("x\n")]),
    ],
  ]),
  new Map<string, string | Uint8Array>([
    ['dir/b\u00e4r "q\\\t\n.txt', "100755 a\nc\n"],
    ["with space", "100644 a\nb\n"],
    ["link", "120000 elsewhere"],
    ["module", `160000 ${"3".repeat(40)}`],
    ["mode", "100755 x\n"],
    ["type", "120000 x"],
    ["kind", "100644 file\n"],
    ["late nul", `100644 ${"b".repeat(8000)}\0\n`],
    ["repeated", `100644 ${lines(390, (at) => `${(at * at) % 3}\n`)}`],
    ["shuffled", `100644 ${lines(3000, (at) => `line ${(at * 7907) % 3001}\n`)}`],
    ["frequent", `100644 ${lines(280, (at) => (at % 5 === 0 ? `u${at}\n` : "}\n"))}`],
    ["blanks", `100644 ${lines(70, (at) => (at % 6 === 0 ? `f${at - (at % 5)}\n` : "\n"))}`],
    ["tail", `100644 a\nx\n${"c\n".repeat(2003)}`],
    [
      "heading",
      Buffer.concat([Buffer.from("100644 name \xff cut\n", "latin1"), Buffer.from("\n".repeat(9)), Buffer.from("y\n")]),
    ],
    ["new empty", "100644 "],
  ]),
];

beforeAll(() => {
  repository = fixture.repository();
  const trees = packedTrees(fixture, repository, [...randomTrees(45, randomOf(11)), ...hard]);
  pairs = trees.slice(1).map((tree, at) => [trees[at]!, tree]);
  pairs.push([trees.at(-1)!, trees.at(-2)!]);
  odb = ObjectDatabase.open(sha1, fixture.packs(repository), caches);
});

afterAll(() => {
  odb[Symbol.dispose]();
  caches[Symbol.dispose]();
  fixture[Symbol.dispose]();
});

function ours(before: string, after: string, options: Partial<PatchOptions>, renames: RenameOptions | null): Buffer {
  const steps = compareTrees(odb, hexToBytes(before), hexToBytes(after), { renames, maxFiles: 10_000 });
  let step = steps.next();
  while (step.done !== true) {
    step = steps.next();
  }
  const out = new PatchOutput();
  for (const pair of step.value.pairs) {
    writeFilePatch(odb, pair, { ...defaultPatch, ...options }, out);
  }
  return Buffer.from(out.view());
}

const kinds: readonly (readonly [flags: string, Partial<PatchOptions>, RenameOptions | null])[] = [
  ["--no-renames", {}, null],
  ["-M", {}, { copies: "none" }],
  ["-C --find-copies-harder --full-index", { fullIndex: true }, { copies: "all" }],
  ["-M --histogram", { algorithm: "histogram" }, { copies: "none" }],
  ["-M --minimal", { algorithm: "minimal" }, { copies: "none" }],
  ["-M -w", { whitespace: "ignore" }, { copies: "none" }],
  ["-M -b --histogram", { whitespace: "ignore-change", algorithm: "histogram" }, { copies: "none" }],
  ["-M --ignore-space-at-eol", { whitespace: "ignore-at-eol" }, { copies: "none" }],
  ["-M --ignore-cr-at-eol", { whitespace: "ignore-cr-at-eol" }, { copies: "none" }],
  ["-M --ignore-blank-lines", { ignoreBlankLines: true }, { copies: "none" }],
  [
    "-M --ignore-blank-lines -b -U1",
    { ignoreBlankLines: true, whitespace: "ignore-change", context: 1 },
    { copies: "none" },
  ],
  ["-M -U0", { context: 0 }, { copies: "none" }],
  ["-M -U12", { context: 12 }, { copies: "none" }],
];

describe("patches are git's byte for byte", () => {
  test.each(kinds)("git diff %s", (flags, options, renames) => {
    for (const [before, after] of pairs) {
      const expected = fixture.git(repository, ["diff", ...flags.split(" "), before, after]);
      const patch = ours(before, after, options, renames);
      if (!patch.equals(expected)) {
        // As text, a difference can be read.
        expect(patch.toString("latin1")).toBe(expected.toString("latin1"));
      }
    }
  });

  test("git applies what they say of binary files", () => {
    const workTree = fixture.path("work");
    mkdirSync(workTree);
    const random = randomOf(3);
    const noise = (length: number): Uint8Array => Uint8Array.from({ length }, () => random(256));
    const big = noise(3000);
    const contents = [
      Buffer.concat([big, noise(10)]),
      Buffer.concat([big.subarray(0, 2000), noise(53), big]),
      noise(26),
      Buffer.from("\0"),
      Buffer.from("text\n"),
    ];
    const target = fixture.repository();
    const file = (content: Uint8Array): Map<string, Uint8Array> =>
      new Map([["file", Buffer.concat([Buffer.from("100644 "), content])]]);
    const trees = packedTrees(fixture, target, contents.map(file));
    using own = ObjectDatabase.open(sha1, fixture.packs(target), caches);
    const git = (...args: string[]): Buffer =>
      fixture.git(workTree, [`--git-dir=${target}`, `--work-tree=${workTree}`, ...args]);
    for (let at = 1; at < trees.length; at++) {
      git("read-tree", "-u", "--reset", trees[at - 1]!);
      const out = new PatchOutput();
      const steps = compareTrees(own, hexToBytes(trees[at - 1]!), hexToBytes(trees[at]!), {
        renames: null,
        maxFiles: 10,
      });
      let step = steps.next();
      while (step.done !== true) {
        step = steps.next();
      }
      writeFilePatch(own, step.value.pairs[0]!, { ...defaultPatch, binary: true }, out);
      const patch = join(fixture.directory, "binary.patch");
      writeFileSync(patch, out.view());
      git("apply", "--index", patch);
      expect(git("write-tree").toString().trim()).toBe(trees[at]!);
    }
  });
});
