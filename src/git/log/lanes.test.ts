import { expect, test } from "bun:test";
import { LaneDrawing } from "./lanes.ts";

/** Draws commits, the newest first, each with its parents: its lane, and its lines as from>to. */
function draw(history: readonly (readonly [number, ...number[]])[]): string[] {
  const drawing = new LaneDrawing();
  return history.map(([commit, ...parents]) => {
    const { lane, lines } = drawing.place(commit, parents);
    return `${lane}: ${lines.map(({ from, to }) => `${from}>${to}`).join(" ")}`;
  });
}

test("a line of history is one lane", () => {
  expect(draw([[3, 2], [2, 1], [1]])).toEqual(["0: 0>0", "0: 0>0", "0: "]);
});

test("a merge opens a lane, which closes where the branches parted", () => {
  expect(draw([[4, 2, 3], [3, 1], [2, 1], [1]])).toEqual(["0: 0>0 0>1", "1: 0>0 1>1", "0: 1>0 0>0", "0: "]);
});

test("branches that were not merged have lanes of their own", () => {
  expect(draw([[5, 3], [4, 3], [3]])).toEqual(["0: 0>0", "1: 0>0 1>0", "0: "]);
});

test("an octopus has a lane for each parent, and free lanes are taken again", () => {
  expect(draw([[9, 1, 2, 3], [1], [2], [3], [8]])).toEqual(["0: 0>0 0>1 0>2", "0: 1>1 2>2", "1: 2>2", "2: ", "0: "]);
});

test("lines keep their colours", () => {
  const drawing = new LaneDrawing();
  const merge = drawing.place(4, [2, 3]);
  const side = drawing.place(3, [1]);
  expect([merge.colour, merge.lines.map(({ colour }) => colour), side.colour]).toEqual([0, [0, 1], 1]);
});
