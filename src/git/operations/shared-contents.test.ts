import { expect, test } from "bun:test";
import { SharedContents } from "./shared-contents.ts";

test("contents are read once for all who read them, and only so many bytes are held", () => {
  const contents = new SharedContents(100);
  let reads = 0;
  const take = (key: string, size: number) => contents.take(key, size, () => (reads++, new Uint8Array(size)));
  const first = take("a", 60);
  expect(take("a", 60)).toBe(first);
  expect(reads).toBe(1);
  expect(take("b", 50)).toBeNull();
  expect(take("c", 40)?.length).toBe(40);
  contents.release("a");
  expect(take("b", 50)).toBeNull();
  contents.release("a");
  expect(take("b", 50)?.length).toBe(50);
  contents.release("b");
  contents.release("c");
  expect(take("large", 101)).toBeNull();
  expect(reads).toBe(3);
});

test("what cannot be read is not held", () => {
  const contents = new SharedContents(100);
  const fail = (): never => {
    throw new Error("damaged");
  };
  expect(() => contents.take("a", 90, fail)).toThrow("damaged");
  contents.release("a");
  expect(contents.take("b", 90, () => new Uint8Array(90))?.length).toBe(90);
});
