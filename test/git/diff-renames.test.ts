import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { compareTrees } from "../../src/git/diff/compare-trees.ts";
import type { RenameOptions } from "../../src/git/diff/detect-renames.ts";
import { statusLetters, type FileSide } from "../../src/git/diff/file-pair.ts";
import { sha1 } from "../../src/git/objects/object-format.ts";
import { bytesToHex, hexToBytes } from "../../src/git/objects/oid.ts";
import { EngineCaches } from "../../src/git/odb/engine-caches.ts";
import { ObjectDatabase } from "../../src/git/odb/object-database.ts";
import { randomOf } from "./generated-history.ts";
import { GitFixture } from "./git-fixture.ts";
import { packedTrees } from "./packed-trees.ts";
import { randomTrees } from "./random-trees.ts";

/*
 * Trees whose files are moved, copied, mixed and edited at random, against the pairs and the numbers that git finds.
 */
const fixture = new GitFixture();
const caches = new EngineCaches(32 << 20);
let odb: ObjectDatabase;
let repository = "";
let trees: readonly string[] = [];

beforeAll(() => {
  repository = fixture.repository();
  trees = packedTrees(fixture, repository, randomTrees(60, randomOf(5)));
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
        const expected = fixture
          .git(repository, [
            "-c",
            "core.quotePath=false",
            "diff-tree",
            "-r",
            "--raw",
            "--no-abbrev",
            ...flags,
            before,
            trees[at]!,
          ])
          .toString()
          .split("\n")
          .slice(0, -1);
        expect(ours(before, trees[at]!, options)).toEqual(expected);
        seen += expected.filter((line) => /[RC]\d+\t/.test(line)).length;
      }
    }
    expect(seen).toBeGreaterThan(20);
  });
});
