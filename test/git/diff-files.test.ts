import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { GitEngine } from "../../src/git/engine.ts";
import type { DiffFilesArgs, DiffedFile } from "../../src/git/operations/diff-files.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { gitWorkerUrl, indexWorkerUrl } from "../../src/workers.ts";
import { randomOf } from "./generated-history.ts";
import { GitFixture } from "./git-fixture.ts";
import { packedTrees } from "./packed-trees.ts";
import { randomTrees } from "./random-trees.ts";

/*
 * Diffs by files and lines, against the text that git prints.
 */
const fixture = new GitFixture();
let engine: GitEngine;
let repository = "";
let view: { key: string; format: "sha1"; packs: readonly string[] };
let trees: readonly string[] = [];
let said: readonly string[] = [];

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => `${from + index}\n`);
const large = numbers(1, 200).join("");

beforeAll(() => {
  repository = fixture.repository();
  const all = packedTrees(fixture, repository, [
    ...randomTrees(40, randomOf(17)),
    new Map([["a.txt", `100644 ${large}`]]),
    new Map([
      ["a.txt", `100644 ${large.replace("\n100\n", "\nx\n").replace("\n150\n", "\n")}`],
      ["long.txt", `100644 ${"é".repeat(4000)}\nshort`],
      [".gitattributes", "100644 made/* linguist-generated\nvendor/own.txt -linguist-vendored\n"],
      ["made/b.txt", `100644 ${large}`],
      ["vendor/own.txt", "100644 own\n"],
      ["vendor/other.txt", "100644 other\n"],
      ["yarn.lock", "100644 lock\n"],
    ]),
  ]);
  trees = all.slice(0, -2);
  said = all.slice(-2);
  view = { key: "1:1", format: "sha1", packs: fixture.packs(repository) };
  engine = new GitEngine({
    gitWorker: gitWorkerUrl,
    indexWorker: indexWorkerUrl,
    workers: 1,
    cacheBytes: 32 << 20,
    log: silentLogger,
  });
});

afterAll(async () => {
  await engine[Symbol.asyncDispose]();
  fixture[Symbol.dispose]();
});

function diff(args: Partial<DiffFilesArgs> & { before: string | null; after: string }) {
  const usual = {
    whitespace: "significant",
    context: 3,
    skip: 0,
    only: null,
    lines: null,
    maxFiles: 300,
    maxLines: 100_000,
  } as const;
  return engine.call(view, "diffFiles", { ...usual, ...args });
}

/** The hunks of a file as git prints them, with the path above them. */
function text({ before, after, hunks, content }: DiffedFile): string {
  const printed = hunks.map(({ before: old, after: now, heading, lines }) => {
    const count = (sign: string) => lines.filter((line) => line[0] === " " || line[0] === sign).length;
    const range = (from: number, length: number) =>
      `${length === 0 ? from - 1 : from}${length === 1 ? "" : `,${length}`}`;
    const where = `@@ -${range(old, count("-"))} +${range(now, count("+"))} @@${heading === "" ? "" : ` ${heading}`}`;
    return [where, ...lines.map((line) => (line === "\\" ? "\\ No newline at end of file" : line))].join("\n");
  });
  return content === "text" ? [(after ?? before)!.path, ...printed].join("\n") : "";
}

/** The same of git's own text. A file that changed its kind is two for git, and one here; a submodule has lines for git. */
function textOfGit(options: readonly string[], before: string, after: string): string[] {
  const whole = fixture
    .git(repository, ["-c", "core.quotePath=false", "diff", "-C", ...options, before, after])
    .toString();
  return whole
    .split(/^diff --git /m)
    .filter((file) => file.includes("\n@@ ") && !/^[-+]Subproject/m.test(file))
    .map((file) => {
      const path = (/^\+\+\+ (?!\/dev\/null)"?(?:b\/)?(.*?)"?\t?$/m.exec(file) ??
        /^--- "?a\/(.*?)"?\t?$/m.exec(file))![1]!;
      return `${path}\n${file.slice(file.indexOf("\n@@ ") + 1).trimEnd()}`;
    });
}

const whitespace = [
  ["significant", []],
  ["ignore-at-eol", ["--ignore-space-at-eol"]],
  ["ignore-change", ["-b"]],
  ["ignore", ["-w"]],
] as const;

describe("against git", () => {
  test.each(whitespace)("lines are those of git diff, with spaces %s", async (name, options) => {
    for (let at = 1; at < trees.length; at++) {
      const { files, total } = await diff({ before: trees[at - 1]!, after: trees[at]!, whitespace: name });
      expect(files.length).toBe(total);
      const plain = files.filter(({ status }) => status !== "retyped");
      const retyped = new Set(files.filter(({ status }) => status === "retyped").map(({ after }) => after!.path));
      const ours = plain.map((file) => text(file).trimEnd()).filter((file) => file.includes("\n@@ "));
      const theirs = textOfGit(options, trees[at - 1]!, trees[at]!).filter(
        (file) => !retyped.has(file.slice(0, file.indexOf("\n"))),
      );
      expect(ours).toEqual(theirs);
    }
  });
});

describe("parts", () => {
  const [a] = ["a.txt"];

  test("further lines of a file are shown where they are asked for", async () => {
    const only = {
      path: a!,
      skipLines: 0,
      shown: [
        [1, 2],
        [104, 110],
        [140, 146],
        [198, 999],
      ] as const,
    };
    const { files } = await diff({ before: said[0]!, after: said[1]!, only });
    const [file] = files;
    expect(file!.hunks.map(({ before, after, lines }) => [before, after, lines.length])).toEqual([
      [1, 1, 2],
      [97, 97, 15],
      [140, 140, 14],
      [199, 198, 2],
    ]);
    expect(file!.hunks[0]!.lines).toEqual([" 1", " 2"]);
    expect(file!.hunks[3]!.lines).toEqual([" 199", " 200"]);
    expect([file!.additions, file!.deletions, file!.before!.lines, file!.after!.lines]).toEqual([1, 2, 200, 199]);
  });

  test("a file that is not among them has no part", async () => {
    const only = { path: "none", skipLines: 0, shown: [] };
    expect(await diff({ before: said[0]!, after: said[1]!, only })).toEqual({ files: [], first: 0, total: 7 });
  });

  test("the first file is cut, and another one is left to the next part", async () => {
    const { files } = await diff({ before: null, after: said[1]!, maxLines: 2 });
    expect(files.map(({ after, hasMore, shownLines }) => [after!.path, hasMore, shownLines])).toEqual([
      [".gitattributes", false, 2],
    ]);
    const next = await diff({ before: null, after: said[1]!, skip: 1, maxLines: 150 });
    expect(next.files.map(({ after, hasMore, shownLines }) => [after!.path, hasMore, shownLines])).toEqual([
      ["a.txt", true, 150],
    ]);
    const only = { path: "a.txt", skipLines: 150, shown: [] };
    const rest = await diff({ before: null, after: said[1]!, only, maxLines: 150 });
    expect(rest.files[0]!.hunks[0]!.after).toBe(151);
    expect(rest.files[0]!.hunks[0]!.lines[0]).toBe("+152");
    expect([rest.files[0]!.shownLines, rest.files[0]!.hasMore]).toEqual([49, false]);
  });

  test("what programs wrote has lines only where it is asked for", async () => {
    const { files } = await diff({ before: null, after: said[1]! });
    expect(files.filter(({ isGenerated }) => isGenerated).map(({ after }) => after!.path)).toEqual([
      "made/b.txt",
      "vendor/other.txt",
      "yarn.lock",
    ]);
    const made = files.find(({ after }) => after!.path === "made/b.txt")!;
    expect([made.additions, made.hunks]).toEqual([200, []]);
    const only = { path: "made/b.txt", skipLines: 0, shown: [] };
    const alone = await diff({ before: null, after: said[1]!, only });
    expect(alone.files[0]!.shownLines).toBe(200);
  });

  test("a long line is cut, and a last one without a line feed is told", async () => {
    const { files } = await diff({ before: null, after: said[1]! });
    const file = files.find(({ after }) => after!.path === "long.txt")!;
    expect(file.hunks[0]!.lines).toEqual([`+${"é".repeat(2500)}`, "+short", "\\"]);
    expect(file.hasCutLines).toBe(true);
  });

  test("a missing object fails it", async () => {
    expect(await diff({ before: null, after: "1".repeat(40) }).catch((error: { code?: string }) => error.code)).toBe(
      "missing-object",
    );
  });
});
