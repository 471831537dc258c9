import { expect, test } from "bun:test";
import { splitRanges } from "./line-ranges.ts";

test("ranges that overlap in a version are split where its lines changed, each by itself", () => {
  // Of ten lines, the fifth and sixth are new.
  const edit = {
    removed: new Uint8Array(8),
    added: Uint8Array.from({ length: 10 }, (_, line) => (line === 4 || line === 5 ? 1 : 0)),
  };
  const ranges = [
    { line: 0, count: 10, source: 0 },
    { line: 20, count: 1, source: 2 },
    { line: 30, count: 3, source: 4 },
    { line: 40, count: 1, source: 5 },
    { line: 50, count: 1, source: 9 },
  ];
  const { passed, kept } = splitRanges(ranges, edit);
  expect(kept).toEqual([
    { line: 4, count: 2, source: 4 },
    { line: 30, count: 2, source: 4 },
    { line: 40, count: 1, source: 5 },
  ]);
  expect(passed).toEqual([
    { line: 0, count: 4, source: 0 },
    { line: 20, count: 1, source: 2 },
    { line: 6, count: 4, source: 4 },
    { line: 32, count: 1, source: 4 },
    { line: 50, count: 1, source: 7 },
  ]);
});
