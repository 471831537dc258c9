import { expect, test } from "bun:test";
import { ago, dayOf, inWords, isZone } from "./time.ts";

const now = Date.parse("2026-11-27T12:00:00Z");
const minute = 60_000;
const day = 1440 * minute;

test.each([
  [0, "now"],
  [59_000, "now"],
  [minute, "1 minute ago"],
  [59 * minute, "59 minutes ago"],
  [60 * minute, "1 hour ago"],
  [day, "yesterday"],
  [6 * day, "6 days ago"],
  [7 * day, "last week"],
  [40 * day, "last month"],
  [800 * day, "2 years ago"],
  [-day, "tomorrow"],
])("%d ms before now is %p", (before, words) => {
  expect(inWords(now - before, now)).toBe(words);
});

test("a time says when, in the reader's zone", () => {
  const at = new Date("2026-11-26T23:30:00Z");
  expect(ago({ root: "", now, zone: "Europe/Berlin" }, at).text).toBe(
    '<time datetime="2026-11-26T23:30:00.000Z" title="Nov 27, 2026, 00:30 Europe/Berlin">12 hours ago</time>',
  );
  expect(ago({ root: "", now, zone: "UTC" }, new Date(Number.NaN)).text).toBe("at an unknown time");
});

test("a day is that of the reader", () => {
  const at = new Date("2026-11-26T23:30:00Z");
  expect(dayOf({ root: "", now, zone: "Europe/Berlin" }, at)).toBe("Nov 27, 2026");
  expect(dayOf({ root: "", now, zone: "UTC" }, at)).toBe("Nov 26, 2026");
});

test("a zone is one that there is", () => {
  expect(["Europe/Berlin", "UTC", "Nowhere/Else", "", "<b>"].map(isZone)).toEqual([true, true, false, false, false]);
});
