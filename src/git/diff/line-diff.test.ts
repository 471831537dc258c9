import { describe, expect, test } from "bun:test";
import { countChangedLines, isBinary } from "./line-counts.ts";
import { diffLines } from "./line-diff.ts";
import { numberLines } from "./line-table.ts";
import { measureWork } from "../../../test/support/process-work.ts";

const text = (lines: string): Uint8Array => Buffer.from(lines);
const edit = (before: string, after: string): { removed: string; added: string } => {
  const { removed, added } = diffLines(numberLines(text(before), text(after)));
  return { removed: removed.join(""), added: added.join("") };
};

describe("diffLines", () => {
  test("finds a change in the middle and leaves what is around it", () => {
    expect(edit("a\nb\nc\n", "a\nx\nc\n")).toEqual({ removed: "010", added: "010" });
  });

  test("takes the fewest lines that do, where there is more than one way", () => {
    expect(countChangedLines(text("a\nb\nc\na\nb\nb\na\n"), text("c\nb\na\nb\na\nc\n"))).toEqual({
      additions: 2,
      deletions: 3,
    });
  });

  test("has nothing to say of equal texts, and everything of those with nothing in common", () => {
    expect(edit("a\nb\n", "a\nb\n")).toEqual({ removed: "00", added: "00" });
    expect(edit("a\nb\n", "x\ny\nz\n")).toEqual({ removed: "11", added: "111" });
  });

  test("turns one text into the other, whatever the texts are", () => {
    let seed = 7;
    const random = (below: number): number => {
      seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
      return (seed >> 8) % below;
    };
    for (let round = 0; round < 200; round++) {
      const words = 1 + random(30);
      const lines = (): string[] => Array.from({ length: random(60) }, () => `${random(words)}\n`);
      const [before, after] = [lines(), lines()];
      const { removed, added } = diffLines(numberLines(text(before.join("")), text(after.join(""))));
      expect(before.filter((_, at) => removed[at] === 0)).toEqual(after.filter((_, at) => added[at] === 0));
    }
  });

  test("ends soon on large texts that have their lines in another order", () => {
    const lines = Array.from({ length: 30_000 }, (_, at) => `${(at * 7919) % 30_011}\n`);
    const workedMs = measureWork();
    const { removed, added } = diffLines(numberLines(text(lines.join("")), text(lines.toReversed().join(""))));
    expect(workedMs()).toBeLessThan(1500);
    expect(lines.filter((_, at) => removed[at] === 0)).toEqual(lines.toReversed().filter((_, at) => added[at] === 0));
  });
});

describe("countChangedLines", () => {
  test("counts a last line that lost its line feed as changed", () => {
    expect(countChangedLines(text("a\nb\n"), text("a\nb"))).toEqual({ additions: 1, deletions: 1 });
  });

  test("counts all lines of a new and of a removed text", () => {
    expect(countChangedLines(text(""), text("a\nb"))).toEqual({ additions: 2, deletions: 0 });
    expect(countChangedLines(text("a\nb\n"), text(""))).toEqual({ additions: 0, deletions: 2 });
  });

  test("counts nothing for binary content", () => {
    expect(isBinary(text(`${"a".repeat(7999)}\0`))).toBe(true);
    expect(isBinary(text(`${"a".repeat(8000)}\0`))).toBe(false);
    expect(countChangedLines(text("a\0"), text("a\nb\n"))).toEqual({ additions: 0, deletions: 0 });
  });
});
