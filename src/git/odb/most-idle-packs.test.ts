import { expect, test } from "bun:test";
import { mostIdlePacks } from "./most-idle-packs.ts";

const limits = (soft: string) =>
  `Limit  Soft Limit  Hard Limit  Units\nMax open files            ${soft}      20000   files\n`;

test.each([
  ["20000", 1024],
  ["4096", 256],
  ["1024", 64],
  ["unlimited", 1024],
])("of %s open files, idle packs take %d in each thread", (soft, packs) => {
  expect(mostIdlePacks(limits(soft))).toBe(packs);
});

test("where the limit cannot be read, a low one is assumed", () => {
  expect(mostIdlePacks("")).toBe(256);
});
