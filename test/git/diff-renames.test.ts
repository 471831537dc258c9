import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { compareTrees } from "../../src/git/diff/compare-trees.ts";
import type { RenameOptions } from "../../src/git/diff/detect-renames.ts";
import { statusLetters, type FileSide } from "../../src/git/diff/file-pair.ts";
import { sha1 } from "../../src/git/objects/object-format.ts";
import { bytesToHex, hexToBytes } from "../../src/git/objects/oid.ts";
import { EngineCaches } from "../../src/git/odb/engine-caches.ts";
import { ObjectDatabase } from "../../src/git/odb/object-database.ts";
import { randomOf, type Random } from "./generated-history.ts";
import { GitFixture } from "./git-fixture.ts";
import { packedTrees } from "./packed-trees.ts";

/*
 * Trees whose files are moved, copied, mixed and edited at random, against the pairs and the numbers that git finds.
 */
const fixture = new GitFixture();
const caches = new EngineCaches(32 << 20);
let odb: ObjectDatabase;
let repository = "";
let trees: readonly string[] = [];

const directories = ["", "src/", "src/lib/", "docs/", "old/", "b\u00e4r/"];
const names = ["index.ts", "Makefile", "readme.md", "a.c", "b.c", "tool"];

/** A text of lines that others have too, so that the similarity of two texts is anything. */
function text(random: Random): string {
  const topic = random(6);
  const lines = Array.from({ length: 1 + random(40) }, () => `line ${topic} ${random(30)} ${"x".repeat(random(5) === 0 ? 100 : random(20))}`);
  return lines.join(random(8) === 0 ? "\r\n" : "\n") + (random(5) === 0 ? "" : "\n");
}

function edit(content: string, random: Random): string {
  const lines = content.split("\n");
  for (let count = random(1 + lines.length); count > 0; count--) {
    lines[random(lines.length)] = `edited ${random(1000)}`;
  }
  return lines.join("\n");
}

function randomTree(previous: ReadonlyMap<string, string>, random: Random): Map<string, string> {
  const files = new Map(previous);
  const path = (): string => `${directories[random(directories.length)]!}${names[random(names.length)]!}${random(3) === 0 ? random(9) : ""}`;
  for (let count = 4 + random(8); count > 0; count--) {
    const present = [...files.keys()];
    const from = present.length === 0 ? undefined : present[random(present.length)]!;
    const content = from === undefined ? text(random) : files.get(from)!;
    const action = random(8);
    if (from === undefined || action === 0) {
      files.set(path(), `100644 ${text(random)}`);
    } else if (action < 5) {
      files.set(path(), content.slice(0, 7) + (random(3) === 0 ? content.slice(7) : edit(content.slice(7), random)));
      if (action < 4) {
        files.delete(from);
      }
    } else if (action === 5) {
      files.set(from, content.slice(0, 7) + edit(content.slice(7), random));
    } else {
      files.set(path(), ["100644 ", "120000 target", "100755 #!\n", "100644 \0binary"][random(4)]!);
    }
  }
  return files;
}

beforeAll(() => {
  const random = randomOf(5);
  const made: Map<string, string>[] = [];
  let files = new Map<string, string>();
  for (let number = 0; number < 60; number++) {
    files = randomTree(random(12) === 0 ? new Map() : files, random);
    made.push(files);
  }
  repository = fixture.repository();
  trees = packedTrees(fixture, repository, made);
  odb = ObjectDatabase.open(sha1, fixture.packs(repository), caches);
});

afterAll(() => {
  odb[Symbol.dispose]();
  caches[Symbol.dispose]();
  fixture[Symbol.dispose]();
});

function ours(before: string, after: string, renames: RenameOptions): string[] {
  const steps = compareTrees(odb, hexToBytes(before), hexToBytes(after), { renames, maxFiles: 10_000 });
  let step = steps.next();
  while (step.done !== true) {
    step = steps.next();
  }
  const mode = (side: FileSide | null): string => (side?.mode ?? 0).toString(8).padStart(6, "0");
  const oid = (side: FileSide | null): string => (side === null ? sha1.zeroHex : bytesToHex(side.oid));
  return step.value.pairs.map(({ status, before: old, after: now, similarity }) => {
    const score = similarity === null ? "" : String(similarity).padStart(3, "0");
    const paths = similarity === null ? (now ?? old)!.path : `${old!.path}\t${now!.path}`;
    return `:${mode(old)} ${mode(now)} ${oid(old)} ${oid(now)} ${statusLetters[status]}${score}\t${paths}`;
  });
}

const kinds: readonly (readonly [string, RenameOptions, readonly string[]])[] = [
  ["renames", { copies: "none" }, ["-M"]],
  ["renames of at least 80 %", { copies: "none", threshold: 80 }, ["-M80%"]],
  ["equal files only", { copies: "none", threshold: 100 }, ["-M100%"]],
  ["renames up to a limit", { copies: "none", limit: 3 }, ["-M", "-l3"]],
  ["renames but not of empty files", { copies: "none", emptyFiles: false }, ["-M", "--no-rename-empty"]],
  ["copies", { copies: "changed" }, ["-C"]],
  ["copies of at least 30 %", { copies: "changed", threshold: 30 }, ["-C30%"]],
  ["copies of any file", { copies: "all" }, ["-C", "--find-copies-harder"]],
  ["copies of any file up to a limit", { copies: "all", limit: 8 }, ["-C", "--find-copies-harder", "-l8"]],
];

describe("the pairs and similarities are git's", () => {
  test.each(kinds)("%s", (_, options, flags) => {
    let seen = 0;
    for (let at = 1; at < trees.length; at++) {
      for (const before of [trees[at - 1]!, trees[Math.max(0, at - 7)]!]) {
        const expected = fixture.git(repository, ["-c", "core.quotePath=false", "diff-tree", "-r", "--raw", "--no-abbrev", ...flags, before, trees[at]!]).toString().split("\n").slice(0, -1);
        expect(ours(before, trees[at]!, options)).toEqual(expected);
        seen += expected.filter((line) => /[RC]\d+\t/.test(line)).length;
      }
    }
    expect(seen).toBeGreaterThan(20);
  });
});
