import { expect, test } from "bun:test";
import { burnUp } from "./burn-up.ts";

const reader = { root: "", now: Date.parse("2026-01-11T00:00:00Z"), zone: "UTC" } as never;
const at = (day: number) => new Date(Date.UTC(2026, 0, day));

test("a course begins at the left, ends at the right, and its most is at the top", () => {
  const course = [
    { at: at(1), all: 2, closed: 0 },
    { at: at(6), all: 4, closed: 1 },
    { at: at(11), all: 4, closed: 2 },
  ];
  const text = burnUp(reader, course, null)?.text ?? "";
  expect(text).toContain('class="all line" d="M0 50L300 0L600 0"');
  expect(text).toContain('class="closed line" d="M0 100L300 75L600 50"');
  expect(text).toContain("2 of 4 were closed by Jan 11, 2026, since Jan 1, 2026");
  expect(text).not.toContain('class="due"');
});

test("a due date to come makes room for itself, and one moment is drawn", () => {
  const text = burnUp(reader, [{ at: at(1), all: 1, closed: 0 }], at(11))?.text ?? "";
  expect(text).toContain('class="due" d="M600 0V100"');
  expect(text).not.toContain("NaN");
  expect(burnUp(reader, [], null)).toBeNull();
});
