import { expect, test } from "bun:test";
import { columnsOf } from "./graph.ts";

const edge = (issueId: number, dependsOnId: number) => ({ issueId, dependsOnId });

test("an issue is to the right of all that it depends on", () => {
  const columns = columnsOf([1, 2, 3, 4], [edge(3, 2), edge(2, 1), edge(3, 1), edge(4, 1)]);
  expect([...columns]).toEqual([
    [1, 0],
    [2, 1],
    [3, 2],
    [4, 1],
  ]);
});

test("a circle has an end", () => {
  expect(columnsOf([1, 2], [edge(1, 2), edge(2, 1)]).size).toBe(2);
});
