import { expect, test } from "bun:test";
import { parseNotebook } from "./parse-notebook.ts";

const bookOf = (cells: unknown) => JSON.stringify({ nbformat: 4, metadata: {}, cells });

test("reads cells, whose texts are one or lines, with the richest form of their outputs", () => {
  const read = parseNotebook(
    bookOf([
      { cell_type: "markdown", source: ["# A\n", "b"] },
      {
        cell_type: "code",
        execution_count: 3,
        source: "1 + 1",
        outputs: [
          { output_type: "stream", text: ["\u001b[31mred\u001b[0m\n"] },
          { output_type: "execute_result", data: { "text/plain": "2", "text/html": "<b>2</b>" } },
          { output_type: "display_data", data: { "image/png": "aGk=\n", "text/plain": "<Figure>" } },
          { output_type: "error", ename: "E", evalue: "no", traceback: [] },
          { output_type: "display_data", data: {} },
        ],
      },
    ]),
  );
  expect(read?.extension).toBe(".py");
  expect(read?.cells).toEqual([
    { kind: "markdown", source: "# A\nb", count: null, outputs: [] },
    {
      kind: "code",
      source: "1 + 1",
      count: 3,
      outputs: [
        { kind: "text", text: "red\n" },
        { kind: "html", text: "<b>2</b>" },
        { kind: "picture", type: "image/png", base64: "aGk=" },
        { kind: "error", text: "E: no" },
      ],
    },
  ]);
});

test("is none for other texts, bounded, and takes nothing that is no base64 for a picture", () => {
  for (const text of ["", "{", "[]", "null", '{"cells": 1}', '{"cells": {}}']) {
    expect(parseNotebook(text)).toBeNull();
  }
  expect(parseNotebook(bookOf([null, 1, "x", []]))?.cells.length).toBe(4);
  expect(parseNotebook(bookOf(Array.from({ length: 400 }, () => ({}))))?.left).toBe(100);
  const outputs = [{ output_type: "display_data", data: { "image/png": '"><script>', "text/plain": 5 } }];
  expect(parseNotebook(bookOf([{ cell_type: "code", outputs }]))?.cells[0]?.outputs).toEqual([]);
});
