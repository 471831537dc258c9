import { describe, expect, test } from "bun:test";
import { followLine, followRange, hunkUpTo as find, type DiffSide } from "./line-places.ts";
import { diffTexts } from "./text-diff.ts";

const hunkUpTo = (of: Parameters<typeof find>[0], side: DiffSide, line: number, { extra = 0, anywhere = false } = {}) =>
  find(of, { side, line, extra, anywhere });
const diff = (before: string, after: string) => diffTexts(Buffer.from(before), Buffer.from(after));
const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}\n`).join("");

describe("followLine", () => {
  test("moves with what is added and removed above, and stays above a change", () => {
    const { changes } = diff(numbered(1, 20), `new\n${numbered(1, 4)}${numbered(7, 20)}`);
    expect([1, 4, 5, 6, 7, 20].map((line) => followLine(changes, line))).toEqual([2, 5, null, null, 6, 19]);
  });

  test("a line that became another one is gone", () => {
    const { changes } = diff("a\nb\nc\n", "a\nB\nc\n");
    expect([1, 2, 3].map((line) => followLine(changes, line))).toEqual([1, null, 3]);
  });

  test("every line that is followed has the same text, whatever the texts are", () => {
    let seed = 11;
    const random = (below: number) => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) % below;
    for (let round = 0; round < 200; round++) {
      const lines = () => Array.from({ length: random(30) }, () => `${random(6)}`);
      const [before, after] = [lines(), lines()];
      const { changes } = diff(before.map((line) => `${line}\n`).join(""), after.map((line) => `${line}\n`).join(""));
      const places = before.map((_, at) => followLine(changes, at + 1));
      const kept = places.flatMap((place) => place ?? []);
      expect(kept).toEqual([...new Set(kept)].toSorted((left, right) => left - right));
      places.forEach((place, at) => place !== null && expect(after[place - 1]).toBe(before[at]!));
    }
  });
});

describe("followRange", () => {
  test("takes in what came between its lines, and is gone with any of them", () => {
    const { changes } = diff(numbered(1, 20), `${numbered(1, 5)}new\n${numbered(6, 14)}${numbered(16, 20)}`);
    const follow = (line: number, extra: number) => followRange(changes, line, extra);
    expect(follow(5, 3)).toEqual({ line: 5, extra: 3 });
    expect(follow(6, 1)).toEqual({ line: 7, extra: 2 });
    expect(follow(14, 0)).toEqual({ line: 15, extra: 0 });
    expect([follow(15, 0), follow(16, 2), follow(15, 4)]).toEqual([null, null, null]);
    expect(follow(20, 3)).toEqual({ line: 20, extra: 3 });
  });
});

describe("hunkUpTo", () => {
  const one = diff(numbered(1, 20), `${numbered(1, 9)}ten\neleven\n${numbered(11, 20)}`);

  test("has the line and three before it, of either side", () => {
    expect(hunkUpTo(one, "new", 11)).toBe("@@ -9,2 +9,3 @@\n line 9\n-line 10\n+ten\n+eleven");
    expect(hunkUpTo(one, "old", 10)).toBe("@@ -7,4 +7,3 @@\n line 7\n line 8\n line 9\n-line 10");
    expect(hunkUpTo(one, "new", 10)).toBe("@@ -8,3 +8,3 @@\n line 8\n line 9\n-line 10\n+ten");
  });

  test("has lines of context, by their numbers on both sides", () => {
    expect(hunkUpTo(one, "old", 12)).toBe(hunkUpTo(one, "new", 13));
    expect(hunkUpTo(one, "old", 7)).toBe("@@ -7 +7 @@\n line 7");
  });

  test("a line outside of the hunks has none", () => {
    expect([1, 6, 15, 21].map((line) => hunkUpTo(one, "new", line))).toEqual([null, null, null, null]);
    expect([14, 0, -1, 2 ** 31].map((line) => hunkUpTo(one, "old", line))).toEqual([null, null, null, null]);
  });

  test("has all of several lines, with what the other side has between them", () => {
    expect(hunkUpTo(one, "new", 11, { extra: 2 })).toBe(
      "@@ -7,4 +7,5 @@\n line 7\n line 8\n line 9\n-line 10\n+ten\n+eleven",
    );
    expect(hunkUpTo(one, "new", 11, { extra: 5 })).toBeNull();
    expect(hunkUpTo(one, "new", 3, { extra: 3, anywhere: true })).toBeNull();
  });

  test("has lines that no hunk has, where any may be asked for", () => {
    const anywhere = { anywhere: true };
    expect(hunkUpTo(one, "new", 2, anywhere)).toBe("@@ -1,2 +1,2 @@\n line 1\n line 2");
    expect(hunkUpTo(one, "old", 20, anywhere)).toBe("@@ -17,4 +18,4 @@\n line 17\n line 18\n line 19\n line 20");
    expect(hunkUpTo(one, "new", 22, anywhere)).toBeNull();
    expect(hunkUpTo(diff("a\nb\n", "a\nb\n"), "new", 2, { extra: 1, anywhere: true })).toBe("@@ -1,2 +1,2 @@\n a\n b");
  });

  test("a new file has lines on one side only", () => {
    const added = diff("", "a\nb\n");
    expect(hunkUpTo(added, "new", 2)).toBe("@@ -0,0 +1,2 @@\n+a\n+b");
    expect(hunkUpTo(added, "old", 1)).toBeNull();
    expect(hunkUpTo(diff("a\n", ""), "old", 1)).toBe("@@ -1 +0,0 @@\n-a");
  });

  test("long lines are cut, and carriage returns and NULs left out", () => {
    expect(hunkUpTo(diff("", `${"x".repeat(5000)}\n`), "new", 1)).toBe(`@@ -0,0 +1 @@\n+${"x".repeat(1000)}`);
    expect(hunkUpTo(diff("", "a\0b\r\n"), "new", 1)).toBe("@@ -0,0 +1 @@\n+a\ufffdb");
  });
});
