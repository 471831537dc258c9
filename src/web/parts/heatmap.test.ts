import { expect, test } from "bun:test";
import { countByDay, heatmap } from "./heatmap.ts";

const now = Date.UTC(2026, 10, 28, 12);
const at = (day: number, hour = 0) => ({ timestamp: Date.UTC(2026, 10, day, hour) / 1000, contributions: 2 });
const reader = { root: "", now, zone: "UTC" };

test("what was done counts on the day that it was in the reader's zone", () => {
  const day = Date.UTC(2026, 10, 27) / 86_400_000;
  expect(countByDay([at(27, 23), at(27, 1)], "UTC")).toEqual(new Map([[day, 4]]));
  expect(countByDay([at(27, 23), at(27, 1)], "Asia/Tokyo")).toEqual(
    new Map([
      [day + 1, 2],
      [day, 2],
    ]),
  );
});

test("a year has a square for each day, and a text that says how much in each month", () => {
  const { text } = heatmap(reader, [at(1), at(28), { timestamp: Date.UTC(2024, 1, 1) / 1000, contributions: 9 }]);
  expect(text.match(/h11v11h-11z|<rect class="l\d" x="\d+" y=/g)?.length).toBe(52 * 7 + 6);
  expect(text).toContain('aria-label="4 contributions in the last year; November 2026: 4"');
  expect(text).toContain("<title>2 contributions on Nov 28, 2026</title>");
  expect(heatmap(reader, []).text).toContain("0 contributions in the last year");
});

test("names of months do not stand on each other", () => {
  const xs = [...heatmap(reader, []).text.matchAll(/<text x="(\d+)" y="10">/g)].map(([, x]) => Number(x));
  expect(xs.every((x, index) => index === 0 || x - (xs[index - 1] ?? 0) >= 39)).toBe(true);
});
