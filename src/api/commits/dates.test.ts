import { expect, test } from "bun:test";
import { commitDate } from "./dates.ts";

test("a date keeps the offset that it was written in", () => {
  expect(commitDate({ seconds: 1_700_000_000, offsetMinutes: 0 })).toBe("2023-11-14T22:13:20Z");
  expect(commitDate({ seconds: 1_700_000_000, offsetMinutes: 330 })).toBe("2023-11-15T03:43:20+05:30");
  expect(commitDate({ seconds: 1_700_000_000, offsetMinutes: -90 })).toBe("2023-11-14T20:43:20-01:30");
  expect(commitDate({ seconds: 0, offsetMinutes: -0 })).toBe("1970-01-01T00:00:00Z");
});

test("dates that no calendar has do not break the answer", () => {
  expect(commitDate({ seconds: 1e15, offsetMinutes: 60 })).toBe("9999-12-31T23:59:59+01:00");
  expect(commitDate({ seconds: -1e15, offsetMinutes: 0 })).toBe("0001-01-01T00:00:00Z");
  expect(commitDate({ seconds: 5, offsetMinutes: 60_000 })).toBe("1970-01-01T00:00:05Z");
});
