import { expect, test } from "bun:test";
import { TestQueue } from "./test-queue.ts";

function batches(queue: TestQueue): string[][] {
  const all: string[][] = [];
  for (let files = queue.take(); files.length > 0; files = queue.take()) {
    all.push(files);
  }
  return all;
}

test("the slowest files come first, and fast ones share a process", () => {
  const durations = { a: 10, b: 50_000, c: 41_000, d: 39_000, e: 39_000, f: 20, g: 30 };
  expect(batches(new TestQueue(["a", "b", "c", "d", "e", "f", "g"], durations, 1))).toEqual([
    ["b"],
    ["c"],
    ["d", "e"],
    ["g", "f", "a"],
  ]);
  const many = Array.from({ length: 60 }, (_, number) => `${number}`);
  expect(batches(new TestQueue(many, {}, 2))[0]).toHaveLength(15);
  expect(batches(new TestQueue(many, Object.fromEntries(many.map((name) => [name, 0])), 2)).flat()).toHaveLength(60);
});

test("at the end batches are small, so that no process works alone for long", () => {
  const names = Array.from({ length: 200 }, (_, number) => `${number}`);
  const sizes = batches(new TestQueue(names, {}, 2)).map(({ length }) => length);
  expect(sizes.slice(0, 5)).toEqual([20, 20, 20, 20, 20]);
  expect(sizes.at(-1)).toBeLessThan(3);
  expect(sizes.length).toBeLessThan(25);
});

test("what a process did not come to is handed out again", () => {
  const queue = new TestQueue(["a", "b"], { a: 5000, b: 4000 }, 1);
  expect(queue.take()).toEqual(["a"]);
  queue.giveBack(["a"]);
  expect(batches(queue).flat().sort()).toEqual(["a", "b"]);
  expect(queue.take()).toEqual([]);
});
