import { expect, test } from "bun:test";
import { parseRange } from "./file-response.ts";

test("a range is read as RFC 9110 says", () => {
  expect(parseRange("bytes=0-4", 10)).toEqual({ start: 0, end: 5 });
  expect(parseRange("bytes=5-", 10)).toEqual({ start: 5, end: 10 });
  expect(parseRange("bytes=-3", 10)).toEqual({ start: 7, end: 10 });
  expect(parseRange("bytes=-30", 10)).toEqual({ start: 0, end: 10 });
  expect(parseRange("bytes=8-99", 10)).toEqual({ start: 8, end: 10 });
});

test("a range beyond the end is told, one that cannot be read is not there", () => {
  expect(parseRange("bytes=10-", 10)).toBe("unsatisfiable");
  expect(parseRange("bytes=-0", 10)).toBe("unsatisfiable");
  expect(parseRange("bytes=0-", 0)).toBe("unsatisfiable");
  for (const header of [null, "bytes=5-4", "bytes=-", "bytes=0-1,3-4", "lines=0-1", "bytes=a-b"]) {
    expect(parseRange(header, 10)).toBeNull();
  }
});
