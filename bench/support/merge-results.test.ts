import { expect, test } from "bun:test";
import { mergeResults } from "./merge-results.ts";
import { formatTable } from "./table.ts";

const text = (circumstances: string, ...tables: [title: string, rows: string[][]][]): string =>
  [circumstances, ...tables.map(([title, rows]) => formatTable([title, "ms"], rows))].join("\n\n");

const old = text(
  "Monday",
  [
    "history",
    [
      ["a", "1"],
      ["a", "2"],
      ["b", "3"],
    ],
  ],
  ["at once", [["a", "4"]]],
);

test("rows that were measured anew replace their like, and the others stay as they were", () => {
  expect(mergeResults(old, text("Tuesday", ["history", [["a", "5"]]]))).toBe(
    text("Tuesday", ["history", [["a", "5"]]]) +
      "\n\n" +
      text("Monday", ["history", [["b", "3"]]], ["at once", [["a", "4"]]]),
  );
});

test("a run of which nothing is left goes with its circumstances", () => {
  const now = text(
    "Tuesday",
    ["at once", [["a", "6"]]],
    [
      "history",
      [
        ["b", "7"],
        ["a", "8"],
      ],
    ],
  );
  expect(mergeResults(old, now)).toBe(now);
});

test("several older runs are kept apart", () => {
  const two = mergeResults(old, text("Tuesday", ["history", [["c", "9"]]]));
  expect(mergeResults(two, text("Wednesday", ["at once", [["a", "1"]]]))).toBe(
    [
      text("Wednesday", ["at once", [["a", "1"]]]),
      text("Tuesday", ["history", [["c", "9"]]]),
      text("Monday", [
        "history",
        [
          ["a", "1"],
          ["a", "2"],
          ["b", "3"],
        ],
      ]),
    ].join("\n\n"),
  );
});
