import { expect, test } from "bun:test";
import { writtenOffsets } from "./written-offsets.ts";

test("offsets are kept exactly, few and many, also beyond 4 GB", () => {
  for (const count of [2, 100]) {
    const offsets = writtenOffsets(count, 100);
    const given = [12, 0xffff_ffff, 0x1_0000_0000, 7_000_000_000_001];
    given.forEach((offset, index) => offsets.set(index * 20, offset));
    expect(given.map((_, index) => offsets.get(index * 20))).toEqual(given);
    expect(offsets.get(99)).toBe(0);
  }
});
