import { expect, test } from "bun:test";
import { ObjectArena } from "./object-arena.ts";

const large = 100_000;
const arena = (limit: number) => new ObjectArena(new Uint8Array(64 * 1024), limit, 100);

/** Allocates an object of one byte, again and again. */
function fill(into: ObjectArena, entry: number): Uint8Array {
  into.allocate(entry, large);
  into.buffer.fill(entry, into.at, into.at + large);
  return into.buffer;
}

test("what an object was made of is there until the next one is allocated, and its memory is used again then", () => {
  using kept = arena(1);
  const first = fill(kept, 1);
  const second = fill(kept, 2);
  // No longer kept, and still whole: the second may be made of it.
  expect([kept.locate(1, 0), first[kept.at]]).toEqual([false, 1]);
  const third = fill(kept, 3);
  expect(third).toBe(first);
  expect([kept.locate(3, 0), kept.buffer[kept.at], second.length]).toEqual([true, 3, third.length]);
});

test("memory that does not fit the next object is given back at once, and all of it at the end", () => {
  const kept = arena(1);
  const buffers = [fill(kept, 1), fill(kept, 2)];
  kept.allocate(3, 10 * large);
  buffers.push(kept.buffer);
  expect(buffers.map(({ length }) => length > 0)).toEqual([false, true, true]);
  kept[Symbol.dispose]();
  expect(buffers.map(({ length }) => length)).toEqual([0, 0, 0]);
});

test("recent objects are there as long as they are within the limit", () => {
  using kept = arena(4 * large);
  for (let entry = 1; entry <= 6; entry++) {
    fill(kept, entry);
  }
  expect([1, 2, 3, 4, 5, 6].filter((entry) => kept.locate(entry, 0))).toEqual([4, 5, 6]);
});
