import { expect, test } from "bun:test";
import { clip, showValue } from "./show-value.ts";

test("a value is shown as JSON", () => {
  for (const value of ['a\n"b"', 5, true, null, [], {}, [1, ["x"], { a: { b: [] } }]]) {
    expect(showValue(value)).toBe(JSON.stringify(value));
  }
});

test("no more than 80 characters of a value are shown, however long or deep it is", () => {
  let deep: unknown = [];
  for (let depth = 0; depth < 1_000_000; depth++) {
    deep = [deep];
  }
  expect(showValue(deep)).toBe("[".repeat(80));
  expect(showValue("x".repeat(1_000_000))).toBe(`"${"x".repeat(79)}`);
  expect(showValue(Array.from({ length: 100_000 }, () => 1))).toBe(`[${"1,".repeat(39)}1`);
  expect(showValue({ ["k".repeat(1000)]: 1 })).toBe(`{"${"k".repeat(78)}`);
});

test("showing a value does not look at what is not shown", () => {
  let read = 0;
  const items = Array.from({ length: 1000 }, () =>
    Object.defineProperty({}, "a", { enumerable: true, get: () => ++read }),
  );
  showValue(items);
  expect(read).toBeLessThan(20);
});

test("a text is clipped to a length", () => {
  expect(clip("abc", 3)).toBe("abc");
  expect(clip("abcd", 3)).toBe("ab…");
});
