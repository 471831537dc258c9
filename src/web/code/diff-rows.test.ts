import { expect, test } from "bun:test";
import { markMoved, pairRows, rowsOf } from "./diff-rows.ts";

const hunk = (lines: string[]) => rowsOf({ before: 10, after: 20, heading: "", lines });

test("lines are numbered on both sides", () => {
  const rows = hunk([" a", "-b", "-c", "+d", "\\", " e"]);
  expect(rows.map(({ kind, before, after, text, isOpen }) => [kind, before, after, text, isOpen])).toEqual([
    ["same", 10, 20, "a", false],
    ["removed", 11, null, "b", false],
    ["removed", 12, null, "c", false],
    ["added", null, 21, "d", true],
    ["same", 13, 22, "e", false],
  ]);
});

test("a removed line stands beside the added one in its place", () => {
  const pairs = pairRows(hunk([" a", "-b", "-c", "+d", " e", "+f"]));
  expect(pairs.map(([old, now]) => [old?.text ?? null, now?.text ?? null])).toEqual([
    ["a", "a"],
    ["b", "d"],
    ["c", null],
    ["e", "e"],
    [null, "f"],
  ]);
});

test("changed words are marked on both sides", () => {
  const [old, now] = hunk(["-const port = 1;", "+const port = 2;"]);
  expect(old?.words).toEqual([[13, 14]]);
  expect(now?.words).toEqual([[13, 14]]);
});

test("lines that moved are marked, and braces alone are not", () => {
  const rows = [
    hunk(["-function first(text) {", "-  return text;", "-}", " x"]),
    hunk(["+function first(text) {", "+  return text;", "+}", "+}"]),
    hunk(["-}", "+other"]),
  ];
  markMoved(rows);
  expect(rows.map((list) => list.map(({ moved }) => moved))).toEqual([
    [true, true, true, false],
    [true, true, true, true],
    [false, false],
  ]);
});

test("a line that moved has no changed words", () => {
  const text = "import { holdTexts } from quota";
  const rows = [hunk([`-${text}`, "+import { other } from quota"]), hunk([`+${text}`])];
  expect(rows[0]?.[0]?.words).not.toEqual([]);
  markMoved(rows);
  expect(rows.map(([first]) => [first?.moved, first?.words])).toEqual([
    [true, []],
    [true, []],
  ]);
});
