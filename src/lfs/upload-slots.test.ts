import { expect, test } from "bun:test";
import { UploadSlots } from "./upload-slots.ts";

/** How many of many attempts succeed. */
function takeAll(slots: UploadSlots, holder: string): Disposable[] {
  return Array.from({ length: 100 }, () => slots.tryTake(holder)).filter((slot) => slot !== null);
}

test("who comes first leaves places to who comes next, and has them again when those are gone", () => {
  const slots = new UploadSlots(64);
  const [first, second, third] = ["a", "b", "c"].map((holder) => takeAll(slots, holder));
  expect([first, second, third].map((taken) => taken?.length)).toEqual([32, 16, 8]);
  first?.forEach((slot) => slot[Symbol.dispose]());
  expect(takeAll(slots, "b")).toHaveLength(12);
  expect(takeAll(slots, "d")).toHaveLength(14);
});

test("a single place is for one at a time", () => {
  const slots = new UploadSlots(1);
  const [only, ...others] = takeAll(slots, "a");
  expect([others.length, slots.tryTake("b")]).toEqual([0, null]);
  only?.[Symbol.dispose]();
  expect(slots.tryTake("b")).not.toBeNull();
});
