import { expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { LargeReads } from "./large-reads.ts";
import { SpilledObject } from "./spilled-object.ts";

/** Takes an object of so many bytes and leaves it; whether it had to be made. */
function read(reads: LargeReads, name: string, bytes: number): boolean {
  let isMade = false;
  const steps = reads.take(name, function* () {
    isMade = true;
    yield new Uint8Array(0);
    return SpilledObject.of(tmpdir(), [new Uint8Array(bytes)]);
  });
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) {
      expect(step.value.size).toBe(bytes);
      reads.release(name);
      return isMade;
    }
  }
}

test("of objects that nobody reads any more the last one stays, and before it as many as have room", () => {
  using reads = new LargeReads(0, 250);
  expect(read(reads, "a", 100)).toBe(true);
  expect(read(reads, "b", 100)).toBe(true);
  expect(read(reads, "c", 1000)).toBe(true);
  expect(["a", "b"].map((name) => read(reads, name, 100))).toEqual([false, false]);
  // The large one had no room beside them.
  expect(read(reads, "c", 1000)).toBe(true);
  expect(["c", "a", "b"].map((name) => read(reads, name, name === "c" ? 1000 : 100))).toEqual([false, false, false]);
  expect(["x", "y"].map((name) => read(reads, name, 200))).toEqual([true, true]);
  expect(read(reads, "a", 100)).toBe(true);
});

test("one that is being read stays, however many others come", () => {
  using reads = new LargeReads(0, 250);
  const held = reads.take("held", function* () {
    yield new Uint8Array(0);
    return SpilledObject.of(tmpdir(), [new Uint8Array(500)]);
  });
  held.next();
  const { value } = held.next();
  for (const name of ["a", "b", "c", "d"]) {
    read(reads, name, 200);
  }
  const bytes = Buffer.alloc(3, 1);
  (value as SpilledObject).copy(497, 3, bytes, 0);
  expect(bytes).toEqual(Buffer.alloc(3));
  reads.release("held");
});
