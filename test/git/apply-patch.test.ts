import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { applyChanges } from "../../src/git/edit/apply-changes.ts";
import { NewObjects } from "../../src/git/edit/new-objects.ts";
import { TreeEditor } from "../../src/git/edit/tree-editor.ts";
import { sha1 } from "../../src/git/objects/object-format.ts";
import { EngineCaches } from "../../src/git/odb/engine-caches.ts";
import { ObjectDatabase } from "../../src/git/odb/object-database.ts";
import { applyPatch } from "../../src/git/patch/apply-patch.ts";
import { parsePatch } from "../../src/git/patch/parse-patch.ts";
import { PatchRefused } from "../../src/git/patch/patch-refused.ts";
import { randomOf, type Random } from "./generated-history.ts";
import { GitFixture } from "./git-fixture.ts";
import { packedTrees } from "./packed-trees.ts";
import { randomTrees } from "./random-trees.ts";
import { times } from "../support/thorough.ts";

const damagedPatches = times(300, 1500);

/*
 * Patches of git applied to the trees they were made for, and to others, against what `git apply` makes of the same.
 */
const fixture = new GitFixture();
const caches = new EngineCaches(32 << 20);
let odb: ObjectDatabase;
let repository = "";
let trees: readonly string[] = [];

/** Submodules are refused, and what one file's texts have in common with another's tells nothing here. */
function withoutSubmodules(files: ReadonlyMap<string, string>): Map<string, string> {
  return new Map([...files].filter(([, file]) => !file.startsWith("160000")));
}

/** A text that differs from another here and there. */
function drift(text: string, random: Random): string {
  const lines = text.split("\n");
  for (let count = 1 + random(3); count > 0; count--) {
    lines.splice(random(lines.length), random(2), `drifted ${random(100)}`);
  }
  return lines.join("\n");
}

beforeAll(() => {
  repository = fixture.repository();
  const random = randomOf(31);
  const made = randomTrees(50, random).map(withoutSubmodules);
  const long = Array.from({ length: 120 }, (_, at) => `line ${at % 7} ${at}`).join("\n");
  for (let number = 0, text = `${long}\n`; number < 30; number++, text = drift(text, random)) {
    made.push(new Map([["long.txt", `100644 ${text}`]]));
  }
  trees = packedTrees(fixture, repository, made);
  odb = ObjectDatabase.open(sha1, fixture.packs(repository), caches);
});

afterAll(() => {
  odb[Symbol.dispose]();
  caches[Symbol.dispose]();
  fixture[Symbol.dispose]();
});

/** The tree that a patch makes of another, null when it is refused. */
function ours(tree: string, patch: Uint8Array, from = odb): string | null {
  try {
    const steps = applyPatch(from, tree, parsePatch(patch));
    let step = steps.next();
    while (step.done !== true) {
      step = steps.next();
    }
    const editor = new TreeEditor(from, tree);
    const objects = new NewObjects(from);
    applyChanges(editor, objects, step.value);
    return editor.write(objects);
  } catch (error) {
    if (error instanceof PatchRefused) {
      return null;
    }
    throw error;
  }
}

function gits(tree: string, patch: Uint8Array, where = repository): string | null {
  fixture.git(where, ["read-tree", tree]);
  const { exitCode } = fixture.tryGit(where, ["apply", "--cached", "-"], patch);
  return exitCode === 0 ? fixture.git(where, ["write-tree"]).toString().trim() : null;
}

const diff = (before: string, after: string, ...flags: string[]): Buffer =>
  fixture.git(repository, ["diff", ...flags, before, after]);

describe("a patch of git", () => {
  test.each(["-M --binary", "-C --find-copies-harder --binary --full-index", "--no-renames --binary -U1"])(
    "with %s makes the tree that it was made of",
    (flags) => {
      for (let at = 1; at < trees.length; at++) {
        const [before, after] = [trees[at - 1]!, trees[at]!];
        const patch = diff(before, after, ...flags.split(" "));
        if (patch.length > 0) {
          expect(ours(before, patch)).toBe(after);
          expect(ours(after, diff(after, before, "--binary"))).toBe(before);
        }
      }
    },
  );

  test("in which two files change places", () => {
    const target = fixture.repository();
    const text = (word: string, end: string): string =>
      `${Array.from({ length: 60 }, (_, at) => `${word} ${at}\n`).join("")}${end}`;
    const [before, after] = packedTrees(fixture, target, [
      new Map([
        ["a", `100644 ${text("one", "")}`],
        ["b", `100755 ${text("two", "")}`],
      ]),
      new Map([
        ["b", `100644 ${text("one", "!\n")}`],
        ["a", `100755 ${text("two", "!\n")}`],
      ]),
    ]);
    using own = ObjectDatabase.open(sha1, fixture.packs(target), caches);
    const patch = fixture.git(target, ["diff", "-B", "-M", before!, after!]);
    expect(patch.toString()).toContain("rename from a\n");
    expect(ours(before!, patch, own)).toBe(after!);
  });

  test("applied to another tree makes what git makes of it, or is refused as git refuses it", () => {
    let applied = 0;
    let refused = 0;
    for (let at = 3; at < trees.length; at++) {
      const patch = diff(trees[at - 1]!, trees[at]!, at % 2 === 0 ? "-U1" : "-U3");
      if (patch.length === 0 || patch.includes("Binary files")) {
        continue;
      }
      for (const other of [trees[at - 2]!, trees[at - 3]!]) {
        const expected = gits(other, patch);
        expect(ours(other, patch)).toBe(expected);
        if (expected === null) {
          refused++;
        } else {
          applied++;
        }
      }
    }
    expect(applied).toBeGreaterThan(20);
    expect(refused).toBeGreaterThan(20);
  });
});

describe("a patch that is no good", () => {
  const reasonOf = (patch: string | Uint8Array): string => {
    try {
      const steps = applyPatch(odb, null, parsePatch(Buffer.from(patch)));
      while (steps.next().done !== true);
      return "applied";
    } catch (error) {
      return error instanceof PatchRefused ? error.message : `crashed: ${String(error)}`;
    }
  };

  test.each([
    ["", "there is no file in it"],
    ["some text\nand more\n", "there is no file in it"],
    ["@@ -1 +1 @@\n-a\n+b\n", "belongs to no file"],
    ["--- a/x\n+++ b/x\n", "it has no hunk"],
    ["--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n", "it is damaged"],
    ["--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "there is no such file"],
    ["diff --git a/x b/y\nrename to y\n", "does not name its file"],
    ["diff --git a/x b/x\nindex 1..2 100644\n", "does not say what to change"],
    ["diff --git a/x b/x\n--- a/y\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "not those of its header"],
    ["diff --git a/x b/x\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", "not those of its header"],
    ["diff --git a/x b/x\nold mode 100644\nnew mode 120000\n", "do not become each other"],
    ["--- /dev/null\n+++ x\n@@ -0,0 +1 @@\n+b\n", "no directory such as a/"],
    [
      "diff --git a/m b/m\nnew file mode 160000\nindex 0000000..1111111\n--- /dev/null\n+++ b/m\n@@ -0,0 +1 @@\n+Subproject commit 1\n",
      '"160000"',
    ],
    ["diff --git a/x b/x\nindex 1..2 100644\nBinary files a/x and b/x differ\n", "does not hold the binary file"],
    [
      "diff --git a/x b/x\nnew file mode 100644\nindex 000..123\nGIT binary patch\nliteral 1\nIcmZ\n\n",
      "not as long as it says",
    ],
    ['diff --git "a/\\q" b/x\nnew file mode 100644\n', "quoted path"],
  ])("%j is refused", (patch, reason) => {
    expect(reasonOf(patch)).toContain(reason);
  });

  test("a plain patch without git's headers makes, changes and removes files", () => {
    const target = fixture.repository();
    const [before] = packedTrees(fixture, target, [
      new Map([
        ["kept.txt", "100644 a\nb\nc\n"],
        ["gone.txt", "100755 gone\n"],
      ]),
    ]);
    using own = ObjectDatabase.open(sha1, fixture.packs(target), caches);
    const patch = Buffer.from(
      [
        "--- /dev/null\t2024-01-01\n+++ b/new/file.txt\t2024-01-01\n@@ -0,0 +1,2 @@\n+one\n+two\n\\ No newline at end of file\n",
        "--- a/kept.txt\t2024-01-01\n+++ b/kept.txt\t2024-01-01\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n",
        "--- a/gone.txt\t2024-01-01\n+++ /dev/null\t2024-01-01\n@@ -1 +0,0 @@\n-gone\n",
      ].join(""),
    );
    const made = ours(before!, patch, own);
    expect(made).not.toBeNull();
    expect(made).toBe(gits(before!, patch, target));
  });

  test("is refused wherever it is cut or changed, and never crashes", () => {
    const random = randomOf(9);
    const patch = diff(trees[1]!, trees[4]!, "--binary");
    for (let round = 0; round < damagedPatches; round++) {
      const copy = Buffer.from(patch.subarray(0, round % 3 === 0 ? random(patch.length) : patch.length));
      for (let change = random(4); change > 0 && copy.length > 0; change--) {
        copy[random(copy.length)] = random(256);
      }
      expect(reasonOf(copy)).not.toStartWith("crashed");
    }
  });
});
