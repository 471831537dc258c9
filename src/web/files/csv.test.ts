import { expect, test } from "bun:test";
import { delimiterOf, parseCsv } from "./csv.ts";

const limits = { rows: 100, columns: 10 };
const cells = (text: string, delimiter = ",") => parseCsv(text, delimiter, limits).rows.map((row) => row.cells);

test("cells in quotes may have delimiters, line breaks and quotes", () => {
  expect(cells('a,b\r\n"x,1","say ""hi"""\n"two\nlines",\n')).toEqual([
    ["a", "b"],
    ["x,1", 'say "hi"'],
    ["two\nlines", ""],
  ]);
  expect(parseCsv('a\n"b\nc"\nd', ",", limits).rows.map(({ line }) => line)).toEqual([1, 2, 4]);
  expect(cells("a;b\n1,5;2", ";")).toEqual([
    ["a", "b"],
    ["1,5", "2"],
  ]);
});

test("what is not well-formed is read as it stands", () => {
  expect(cells('"open\nto the end')).toEqual([["open\nto the end"]]);
  expect(cells('"a"b,c')).toEqual([["ab", "c"]]);
  expect(cells("")).toEqual([]);
  expect(cells("a,")).toEqual([["a", ""]]);
  expect(cells("\n\na")).toEqual([[""], [""], ["a"]]);
});

test("no more rows and columns are read than the limits say, quickly", () => {
  expect(parseCsv("a\nb\nc", ",", { rows: 2, columns: 1 })).toEqual({
    rows: [
      { line: 1, cells: ["a"] },
      { line: 2, cells: ["b"] },
    ],
    isCut: true,
  });
  expect(parseCsv("a,b", ",", { rows: 2, columns: 1 })).toEqual({ rows: [{ line: 1, cells: ["a"] }], isCut: true });
  expect(parseCsv(",".repeat(500_000), ",", limits).rows[0]?.cells.length).toBe(10);
});

test("the delimiter is the one that the first line has most of", () => {
  expect(delimiterOf("a.tsv", "a,b")).toBe("\t");
  expect(delimiterOf("a.csv", "a;b;c,d\n")).toBe(";");
  expect(delimiterOf("a.csv", "a")).toBe(",");
});
