import { expect, test } from "bun:test";
import { EngineBusy } from "./errors.ts";
import { SharedContents } from "./shared-contents.ts";

test("contents are read once for all who read them, and only so many bytes are held", () => {
  const contents = new SharedContents(100);
  let reads = 0;
  const take = (key: string, size: number) => contents.take(key, size, () => (reads++, new Uint8Array(size)));
  const first = take("a", 60);
  expect(take("a", 60)).toBe(first);
  expect(reads).toBe(1);
  expect(() => take("b", 50)).toThrow(EngineBusy);
  expect(take("c", 40).length).toBe(40);
  contents.release("a");
  expect(() => take("b", 50)).toThrow(EngineBusy);
  contents.release("a");
  expect(take("b", 50).length).toBe(50);
  contents.release("b");
  contents.release("c");
  // Nobody else's file keeps a large one away.
  expect(take("large", 500).length).toBe(500);
  expect(() => take("a", 1)).toThrow(EngineBusy);
  expect(reads).toBe(4);
});

test("what cannot be read is not held", () => {
  const contents = new SharedContents(100);
  expect(() =>
    contents.take("a", 90, () => {
      throw new Error("damaged");
    }),
  ).toThrow("damaged");
  contents.release("a");
  expect(contents.take("b", 90, () => new Uint8Array(90)).length).toBe(90);
});
