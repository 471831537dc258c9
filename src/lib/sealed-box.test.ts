import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { seal, unseal } from "./sealed-box.ts";

const key = new Uint8Array(randomBytes(32));
const content = new TextEncoder().encode("a secret");

test("what was sealed opens, and no two boxes are alike", () => {
  const box = seal(key, content, "two-factor 7");
  expect(unseal(key, box, "two-factor 7")).toEqual(content);
  expect(seal(key, content, "two-factor 7")).not.toEqual(box);
});

describe("a box does not open", () => {
  const box = seal(key, content, "two-factor 7");
  test("with another key", () => {
    expect(unseal(new Uint8Array(randomBytes(32)), box, "two-factor 7")).toBeNull();
  });
  test("for somebody else", () => {
    expect(unseal(key, box, "two-factor 8")).toBeNull();
  });
  test("when any byte of it was changed, or some are missing", () => {
    for (let at = 0; at < box.length; at++) {
      const damaged = box.map((byte, index) => (index === at ? byte ^ 1 : byte));
      expect(unseal(key, damaged, "two-factor 7")).toBeNull();
      expect(unseal(key, box.subarray(0, at), "two-factor 7")).toBeNull();
    }
  });
});
