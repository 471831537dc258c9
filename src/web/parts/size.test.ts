import { expect, test } from "bun:test";
import { counted, fileSize } from "./size.ts";

test.each([
  [0, "0 bytes"],
  [1, "1 byte"],
  [999, "999 bytes"],
  [1000, "1.0 kB"],
  [999_949, "999.9 kB"],
  [999_950, "1.0 MB"],
  [1_500_000_000, "1.5 GB"],
  [2e15, "2000.0 TB"],
])("%d bytes are %s", (bytes, words) => {
  expect(fileSize(bytes)).toBe(words);
});

test.each([
  [0, "0 versions"],
  [1, "1 version"],
  [1234, "1,234 versions"],
])("%d with its noun is %s", (number, words) => {
  expect(counted(number, "version")).toBe(words);
});

test("a noun with a plural of its own keeps it", () => {
  expect(counted(2, "branch", "branches")).toBe("2 branches");
});
