import { expect, test } from "bun:test";
import { trimEndOf, trimOf } from "./trim-text.ts";

test.each([
  ["", ""],
  ["//", ""],
  ["a", "a"],
  ["/a//b//", "/a//b"],
  ["//a", "//a"],
])("trimEndOf(%p) is %p", (text, trimmed) => {
  expect(trimEndOf(text, "/")).toBe(trimmed);
});

test("several characters, at both ends", () => {
  expect(trimOf(" -a - b- ", " -")).toBe("a - b");
  expect(trimOf("- -", " -")).toBe("");
});
