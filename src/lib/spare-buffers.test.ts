import { expect, test } from "bun:test";
import { SpareBuffers } from "./spare-buffers.ts";

test("a buffer that was put back does for another of about its size, and only so much is kept", () => {
  const spare = new SpareBuffers(100_000);
  const first = spare.take(20_000);
  expect(first.byteLength).toBeGreaterThanOrEqual(20_000);
  expect(spare.take(20_000)).not.toBe(first);
  spare.put(first);
  expect(spare.take(40_000)).not.toBe(first);
  expect(spare.take(32_768)).toBe(first);
  expect(spare.take(32_768)).not.toBe(first);

  const many = Array.from({ length: 10 }, () => spare.take(32_768));
  many.forEach((buffer) => spare.put(buffer));
  const again = many.map(() => spare.take(32_768));
  expect(again.filter((buffer) => many.includes(buffer)).length).toBe(3);
});
