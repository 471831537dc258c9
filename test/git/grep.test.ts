import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { GitEngine } from "../../src/git/engine.ts";
import type { GrepArgs } from "../../src/git/operations/grep.ts";
import type { RepositoryView } from "../../src/git/job/repository-view.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { gitWorkerUrl, indexWorkerUrl } from "../../src/workers.ts";
import { randomFrom, type SeededRandom } from "../support/random.ts";
import { GitFixture } from "./git-fixture.ts";
import { packedTrees } from "./packed-trees.ts";
import { times } from "../support/thorough.ts";

const most = times(60, 250);

/*
 * What `git grep` finds in random files with random patterns, in the C locale.
 */
const fixture = new GitFixture();
const engine = new GitEngine({
  gitWorker: gitWorkerUrl,
  indexWorker: indexWorkerUrl,
  workers: 1,
  cacheBytes: 32 << 20,
  log: silentLogger,
});
let repository = "";
let tree = "";
let view: RepositoryView;
const lineCounts = new Map<string, number>();

const words = ["\t", "\r", ..."foo Foo foobar bar a_b x1 a b aab é -- ( [x] a.b { $ ^".split(" ")];

function randomFile(random: SeededRandom): string {
  const lines = Array.from({ length: random.below(14) }, () =>
    Array.from({ length: random.below(5) }, () => words[random.below(words.length)]!).join(
      random.below(3) === 0 ? "" : " ",
    ),
  );
  const text = lines.join("\n") + (random.below(4) === 0 ? "" : "\n");
  return random.below(10) === 0 ? `${text}\0${text}` : text;
}

beforeAll(() => {
  repository = fixture.repository();
  const random = randomFrom(11);
  const files = new Map<string, string>();
  for (const directory of ["", "src/", "src/lib/", "src-old/", "döcs/a b/", "[x]/"]) {
    for (let file = 0; file < 7; file++) {
      files.set(
        `${directory}${["a.c", "b.ts", "c d.txt", "*.md", "Makefile", "e", "long.c"][file]!}`,
        `100${random.below(2) === 0 ? 644 : 755} ${randomFile(random)}`,
      );
    }
  }
  files.set("link", "120000 foo");
  files.set("module", `160000 ${"1".repeat(40)}`);
  files.set("late-nul", `100644 ${"x\n".repeat(4000)}foo\0bar\nfoo\n`);
  for (const [path, file] of files) {
    lineCounts.set(path, file.slice(7).replace(/\n$/, "").split("\n").length);
  }
  [tree] = packedTrees(fixture, repository, [files]) as [string];
  view = { key: "grep:1", format: "sha1", packs: fixture.packs(repository) };
});

afterAll(async () => {
  await engine[Symbol.asyncDispose]();
  fixture[Symbol.dispose]();
});

const all: Omit<GrepArgs, "pattern" | "treeish"> = {
  kind: "regular",
  ignoreCase: false,
  wholeWord: false,
  paths: [],
  context: { before: 0, after: 0 },
  limits: { matches: 100_000, matchesEach: 100_000, bytes: 1 << 24, milliseconds: 60_000 },
};

type Found = readonly [path: string, number: number, isMatch: boolean, text: string];

/** Null when the pattern is refused. */
async function ours(args: Partial<GrepArgs> & { pattern: string }): Promise<Found[] | null> {
  const found = await engine.call(view, "grep", { ...all, treeish: tree, ...args }).catch((error: unknown) => {
    if ((error as { code?: string }).code !== "invalid-input") {
      throw error;
    }
    return null;
  });
  return (
    found &&
    found.files.flatMap(({ path, lines }) =>
      lines.map(({ number, isMatch, text }): Found => [path, number, isMatch, text]),
    )
  );
}

/** Null when git refuses the pattern. */
function gits({
  pattern,
  kind,
  ignoreCase,
  wholeWord,
  paths,
  context,
}: typeof all & { pattern: string }): Found[] | null {
  const flags = [
    kind === "fixed" ? "-F" : "-E",
    ...(ignoreCase ? ["-i"] : []),
    ...(wholeWord ? ["-w"] : []),
    `-B${context.before}`,
    `-A${context.after}`,
  ];
  const { exitCode, stdout } = fixture.tryGit(repository, [
    "-c",
    "core.quotePath=false",
    "grep",
    "-n",
    "-I",
    "--no-color",
    ...flags,
    "-e",
    pattern,
    tree,
    "--",
    ...paths,
  ]);
  if (exitCode > 1) {
    return null;
  }
  return stdout
    .toString()
    .split("\n")
    .flatMap((line): Found[] => {
      const [, path, sign, number, text] = /^[0-9a-f]{40}:(.*?)([:-])(\d+)\2(.*)$/s.exec(line) ?? [];
      // For "^$" git finds a line more than there is where a file ends in a line feed.
      return path === undefined || (text === "" && Number(number) > lineCounts.get(path)!)
        ? []
        : [[path, Number(number), sign === ":", text!]];
    });
}

async function expectSame(args: Partial<typeof all> & { pattern: string }): Promise<number> {
  const asked = { ...all, ...args };
  const expected = gits(asked);
  expect({ asked, found: await ours(asked) }).toEqual({ asked, found: expected });
  return expected?.length ?? 0;
}

function randomPattern(random: SeededRandom, depth = 0): string {
  const pick = (items: readonly string[]): string => items[random.below(items.length)]!;
  const atom = (): string => {
    switch (random.below(depth > 2 ? 6 : 8)) {
      case 0:
        return pick([".", "\\w", "\\W", "\\s", "\\S", "[^a]", "[a-f]", "[[:alpha:]_]", "[]x]", "[^[:space:]b-]"]);
      case 1:
        return pick(["^", "$", "\\b", "\\<", "\\>"]);
      case 6:
      case 7:
        return `(${randomPattern(random, depth + 1)})`;
      default:
        return pick(["a", "b", "f", "o", "oo", "foo", "bar", "x", "1", "_", " ", "\\.", "\\(", "\\$", "\\^"]);
    }
  };
  const piece = (): string => {
    const written = atom();
    // The C library finds matches that are none where what holds between bytes is repeated.
    return random.below(3) === 0 && !/(?:^|[^[\\])[\^$]|\\[b<>]/.test(written)
      ? written + pick(["*", "+", "?", "{2}", "{1,2}", "{0,1}", "{2,}"])
      : written;
  };
  return Array.from({ length: 1 + random.below(3) }, () => Array.from({ length: 1 + random.below(3) }, piece).join(""))
    .slice(0, 1 + random.below(2))
    .join("|");
}

describe("the lines that git grep finds", () => {
  test.each(["foo", "é", "a.b", "", "foo\nbar", "(", "nowhere", "o o", "^", "\r"])(
    "with the fixed string %j",
    async (pattern) => {
      for (const ignoreCase of [false, true]) {
        await expectSame({ pattern, kind: "fixed", ignoreCase });
      }
    },
  );

  test.each([
    "^$",
    "^",
    "$",
    "a$",
    "^foo|bar$",
    "a^b",
    "()",
    "a||b",
    "(a|)b",
    "fo{2}",
    "[]x]",
    "[^]x]",
    "[a-]",
    "[\\w]",
    "[[.a.]]",
    "[[=a=]b]",
    "\\bfoo\\b",
    "\\Bo",
    "\\<a\\>",
    "a)",
    "\\n",
    "x\\{1",
    "foo\n^$",
  ])("with the expression %j", async (pattern) => {
    for (const ignoreCase of [false, true]) {
      await expectSame({ pattern, ignoreCase });
    }
  });

  test.each(["*a", "a|*b", "(", "(a", "[a", "[b-a]", "[[:none:]]", "a{", "a{x}", "a{2,1}", "\\", "^*", "a{70000}"])(
    "and %j is refused by both",
    async (pattern) => {
      expect([pattern, await ours({ pattern }), gits({ ...all, pattern })]).toEqual([pattern, null, null]);
    },
  );

  test("with random expressions, and with context", async () => {
    const random = randomFrom(4);
    let lines = 0;
    for (let round = 0; round < most; round++) {
      lines += await expectSame({
        pattern: randomPattern(random),
        ignoreCase: random.below(3) === 0,
        context: { before: random.below(3), after: random.below(3) },
      });
    }
    expect(lines).toBeGreaterThan(20 * most);
  });

  test.each(
    [
      ["src"],
      ["src/"],
      ["src/lib", "e"],
      ["*.c"],
      ["src*"],
      ["s?c/*"],
      ["src/**/a.c"],
      ["döcs"],
      ["[x]"],
      ["\\[x\\]"],
      ["\\*.md"],
      ["nowhere"],
      ["s[r]c/[!a]*"],
      ["late-nul", "link"],
      ["döcs/a b/*.md"],
      ["module"],
    ].map((paths) => ({ paths })),
  )("in the paths $paths", async ({ paths }) => {
    await expectSame({ pattern: "o|a|x", paths });
  });
});

describe("whole words", () => {
  test.each(["foo", "a", "a_b", "--", "(", "é", "a.b", "b", "x", "foo\nbar", "a.b\n("])("as %j", async (pattern) => {
    for (const ignoreCase of [false, true]) {
      await expectSame({ pattern, kind: "fixed", wholeWord: true, ignoreCase });
    }
  });

  test.each(["fo+", "[ab]+", "\\w+", "foo|bar", "(a|b)_?", "^foo", "bar$"])("that match %s", async (pattern) => {
    expect(await expectSame({ pattern, wholeWord: true })).toBeGreaterThan(0);
  });
});

describe("where in the lines", () => {
  /** What `git grep -o` prints: the longest of the matches that begin first, then those behind it. */
  function gitsParts(pattern: string, ignoreCase: boolean): string[] {
    const flags = ["-n", "-I", "-o", "-E", "--no-color", ...(ignoreCase ? ["-i"] : [])];
    const { stdout } = fixture.tryGit(repository, [
      "-c",
      "core.quotePath=false",
      "grep",
      ...flags,
      "-e",
      pattern,
      tree,
    ]);
    return stdout
      .toString()
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => line.slice(41));
  }

  async function ourParts(pattern: string, ignoreCase: boolean): Promise<string[]> {
    const found = await engine.call(view, "grep", { ...all, treeish: tree, pattern, ignoreCase });
    return found.files.flatMap(({ path, lines }) =>
      lines.flatMap(({ number, text, matches }) =>
        matches.map(({ start, end, startByte, endByte }) => {
          const part = [...text].slice(start, end).join("");
          const bytes = Buffer.from(text).subarray(startByte, endByte).toString();
          expect([path, number, bytes]).toEqual([path, number, part]);
          return `${path}:${number}:${part}`;
        }),
      ),
    );
  }

  test.each(["foo", "o", "fo*", "a|aab", "(a|ab)(c|bcd)*", "a.*b", "[a-z]+", "é+", "b?a", "x1| ", "foo.", "oo$", "^a"])(
    "%s matches",
    async (pattern) => {
      for (const ignoreCase of [false, true]) {
        const parts = await ourParts(pattern, ignoreCase);
        expect(parts).toEqual(gitsParts(pattern, ignoreCase));
        expect(parts.length).toBeGreaterThan(0);
      }
    },
  );

  test("random expressions match", async () => {
    const random = randomFrom(17);
    let parts = 0;
    for (let round = 0; round < most; round++) {
      const pattern = randomPattern(random);
      // Behind its first match git's -o knows no more what is before; and it takes half a character for one that matches.
      if (/\\[b<>]|\^|\\W|\[\^|\\S|\./.test(pattern)) {
        continue;
      }
      // Git leaves a line at an empty match.
      const likeness = pattern.replaceAll("[[:alpha:]_]", "[a-z_]").replaceAll("[]x]", "[\\]x]");
      if (new RegExp(`^(?:${likeness})$`).test("")) {
        continue;
      }
      const ours = await ourParts(pattern, false);
      expect({ pattern, ours }).toEqual({ pattern, ours: gitsParts(pattern, false) });
      parts += ours.length;
    }
    expect(parts).toBeGreaterThan(15 * most);
  });

  test("of a long line what is around the first match is shown, cut between characters", async () => {
    const target = fixture.repository();
    const line = `${"é".repeat(3000)}needle${"€".repeat(3000)}needle`;
    const [long] = packedTrees(fixture, target, [new Map([["long", `100644 short\n${line}\nshort\n`]])]);
    const asked = { ...all, treeish: long!, context: { before: 1, after: 1 } };
    const where = { key: "cut:1", format: "sha1" as const, packs: fixture.packs(target) };
    for (const pattern of ["needle", "n[e]+dle", "é+needle"]) {
      const [file] = (await engine.call(where, "grep", { ...asked, pattern })).files;
      const [before, found, after] = file!.lines;
      expect([before!.text, after!.text, before!.matches, file!.isCut]).toEqual(["short", "short", [], false]);
      expect([found!.isCut, found!.matches.length]).toEqual([true, 1]);
      const [match] = found!.matches;
      expect(Buffer.byteLength(found!.text)).toBeLessThanOrEqual(2000);
      expect(found!.text).toMatch(/^é+needle€+$/);
      expect([...found!.text].slice(match!.start, match!.end).join("")).toEndWith("needle");
      expect([match!.endByte, match!.endByte - found!.offset]).toEqual([
        6006,
        Buffer.byteLength([...found!.text].slice(0, match!.end).join("")),
      ]);
    }
    const [context] = (await engine.call(where, "grep", { ...asked, pattern: "^short$" })).files;
    expect(context!.lines.map(({ isMatch, isCut, text }) => [isMatch, isCut, text.slice(0, 3)])).toEqual([
      [true, false, "sho"],
      [false, true, "ééé"],
      [true, false, "sho"],
    ]);
  });

  test("of a line of matches the first hundred are", async () => {
    const target = fixture.repository();
    const [dense] = packedTrees(fixture, target, [new Map([["dense", `100644 ${"ab".repeat(500)}\n`]])]);
    const where = { key: "dense:1", format: "sha1" as const, packs: fixture.packs(target) };
    const [file] = (await engine.call(where, "grep", { ...all, treeish: dense!, pattern: "a|b" })).files;
    expect(file!.lines[0]!.matches).toEqual(
      Array.from({ length: 100 }, (_, at) => ({ start: at, end: at + 1, startByte: at, endByte: at + 1 })),
    );
  });
});

describe("a search", () => {
  test("stops at its limits and says so", async () => {
    const limited = await engine.call(view, "grep", {
      ...all,
      treeish: tree,
      pattern: ".",
      limits: { ...all.limits, matches: 3 },
    });
    expect(limited.files.flatMap(({ lines }) => lines)).toHaveLength(3);
    expect(limited.truncated).toBe(true);
    const small = await engine.call(view, "grep", {
      ...all,
      treeish: tree,
      pattern: ".",
      limits: { ...all.limits, bytes: 500 },
    });
    expect(small.truncated).toBe(true);
    expect(Buffer.byteLength(JSON.stringify(small))).toBeLessThan(2500);
    expect((await engine.call(view, "grep", { ...all, treeish: tree, pattern: "nowhere" })).truncated).toBe(false);
    const each = await engine.call(view, "grep", {
      ...all,
      treeish: tree,
      pattern: ".",
      limits: { ...all.limits, matchesEach: 2 },
    });
    expect(each.truncated).toBe(false);
    expect(each.files.length).toBeGreaterThan(20);
    expect(each.files.every(({ lines, isCut }) => lines.length <= 2 && isCut === (lines.length === 2))).toBe(true);
    const late = await engine.call(view, "grep", {
      ...all,
      treeish: tree,
      pattern: ".",
      limits: { ...all.limits, milliseconds: 0 },
    });
    expect([late.truncated, late.files.length < each.files.length]).toEqual([true, true]);
  });

  test.each(["\\1", "(a)\\1", "a\\`", "x{1001}", "((a{100}){100}){100}", "a".repeat(1001)])(
    "for %p is refused",
    async (pattern) => {
      expect(await ours({ pattern })).toBeNull();
    },
  );

  test("in paths with magic, in too many of them, or with too much around is refused", async () => {
    expect(await ours({ pattern: "a", paths: [":!src"] })).toBeNull();
    expect(await ours({ pattern: "a", paths: Array.from({ length: 101 }, () => "src") })).toBeNull();
    expect(await ours({ pattern: "a", paths: ["*".repeat(5000)] })).toBeNull();
    expect(await ours({ pattern: "a", context: { before: 0, after: 101 } })).toBeNull();
  });

  test("ends when nobody waits for it any more", async () => {
    const target = fixture.repository();
    const [long] = packedTrees(fixture, target, [new Map([["long", `100644 ${"abababab ab\n".repeat(500_000)}`]])]);
    const abort = new AbortController();
    const view = { key: "long:1", format: "sha1" as const, packs: fixture.packs(target) };
    const search = engine.call(view, "grep", { ...all, treeish: long!, pattern: "(a|b)*a(a|b){14}c" }, abort.signal);
    abort.abort(new Error("gone"));
    await expect(search).rejects.toThrow("gone");
    expect(
      (
        await engine.call(view, "grep", {
          ...all,
          treeish: long!,
          pattern: "b a",
          limits: { ...all.limits, matches: 1 },
        })
      ).files,
    ).toHaveLength(1);
  });

  test("that takes turns with others finds what is in its own files", async () => {
    const target = fixture.repository();
    const trees = packedTrees(
      fixture,
      target,
      ["a", "b"].map(
        (name) =>
          new Map(
            ["1", "2"].map((file) => [
              file,
              `100644 ${Array.from({ length: 5000 }, (_, line) => `${name}${file}.${line}\n`).join("")}`,
            ]),
          ),
      ),
    );
    const turning = { key: "turns:1", format: "sha1" as const, packs: fixture.packs(target) };
    const found = await Promise.all(
      trees.map((treeish) => engine.call(turning, "grep", { ...all, treeish, pattern: "." })),
    );
    for (const [at, name] of ["a", "b"].entries()) {
      const lines = found[at]!.files.flatMap((file) =>
        file.lines.map(({ number, text }) => text === `${name}${file.path}.${number - 1}`),
      );
      expect(lines).toEqual(Array.from({ length: 10_000 }, () => true));
    }
  });

  test("for what takes others for ever takes time in proportion to the text", async () => {
    const target = fixture.repository();
    const [dull] = packedTrees(fixture, target, [
      new Map([["dull", `100644 ${`${"a".repeat(20_000)}\n`.repeat(20)}`]]),
    ]);
    const patterns = [
      "(a*)*b",
      "(a|a)*c",
      "(a|aa)+$x",
      "(.*)(.*)(.*)(.*)[^a]",
      `${"a?".repeat(60)}${"a".repeat(60)}b`,
      "(a|b)*a(a|b){14}c",
    ];
    for (const pattern of patterns) {
      const found = await engine.call({ key: "dull:1", format: "sha1", packs: fixture.packs(target) }, "grep", {
        ...all,
        treeish: dull!,
        pattern,
      });
      expect(found.files).toEqual([]);
    }
  });
});
