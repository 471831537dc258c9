import { describe, expect, test } from "bun:test";
import { randomFrom } from "../../../test/support/random.ts";
import { encodeDelta } from "./delta-encode.ts";
import { applyDelta, deltaResultSize } from "./delta.ts";
import { CorruptEntry } from "./errors.ts";

function apply(base: Uint8Array, delta: Uint8Array): Uint8Array {
  const result = new Uint8Array(deltaResultSize(delta, 0, delta.length));
  applyDelta(base, 0, base.length, delta, 0, delta.length, result, 0, result.length);
  return result;
}

const base = Buffer.from("The quick brown fox jumps over the lazy dog. ".repeat(8));

describe("a delta", () => {
  test("that the encoder makes gives the result back", () => {
    const random = randomFrom(1);
    for (let round = 0; round < 300; round++) {
      const from = random.bytes(16 + random.below(3000));
      const to: Uint8Array[] = [];
      for (let piece = 0; piece < 5; piece++) {
        const at = random.below(from.length);
        to.push(random.below(3) === 0 ? random.bytes(random.below(300)) : from.subarray(at, at + random.below(2000)));
      }
      const result = Buffer.concat(to);
      const delta = encodeDelta(from, result, result.length * 2 + 64);
      if (delta !== null) expect(apply(from, delta)).toEqual(new Uint8Array(result));
      else expect(result.length).toBeLessThan(16);
    }
  });

  test("of a small change is small", () => {
    const changed = Buffer.concat([base.subarray(0, 100), Buffer.from("another"), base.subarray(100)]);
    const delta = encodeDelta(base, changed, 1000)!;
    expect(delta.length).toBeLessThan(40);
    expect(apply(base, delta)).toEqual(new Uint8Array(changed));
  });

  test("is not made if it would be larger than wanted, or of next to nothing", () => {
    expect(encodeDelta(base, randomFrom(2).bytes(500), 400)).toBeNull();
    expect(encodeDelta(base, Buffer.from("short"), 400)).toBeNull();
  });

  test("copies across more than one instruction can hold", () => {
    const large = randomFrom(3).bytes(200_000);
    const delta = encodeDelta(large, large, 1000)!;
    expect(delta.length).toBeLessThan(50);
    expect(apply(large, delta)).toEqual(large);
  });

  test("copies 65,536 bytes where its length is zero", () => {
    const large = randomFrom(4).bytes(70_000);
    // 70,000 and 65,536 as sizes, then a copy without offset and length.
    const delta = Uint8Array.of(0xf0, 0xa2, 0x04, 0x80, 0x80, 0x04, 0x80);
    expect(apply(large, delta)).toEqual(large.slice(0, 65_536));
  });

  test("works inside one buffer", () => {
    const buffer = new Uint8Array(1000);
    buffer.set(base, 10);
    const result = base.subarray(50, 200);
    const delta = encodeDelta(base, result, 100)!;
    applyDelta(buffer, 10, base.length, delta, 0, delta.length, buffer, 600, result.length);
    expect(buffer.slice(600, 750)).toEqual(new Uint8Array(result));
  });
});

describe("is refused", () => {
  const small = Buffer.from("0123456789");
  test.each([
    ["nothing", []],
    ["a size that does not end", [0x8a, 0x80]],
    ["another base", [9, 1, 1, 65]],
    ["too little made", [10, 5, 1, 65]],
    ["too much made", [10, 1, 2, 65, 66]],
    ["a copy from behind the base", [10, 5, 0x91, 8, 5]],
    ["a copy of 64 KB", [10, 5, 0x80]],
    ["a copy from 4 GB on", [10, 5, 0x9f, 255, 255, 255, 255, 5]],
    ["an instruction that is cut off", [10, 5, 0x91, 8]],
    ["an insert that is cut off", [10, 5, 5, 65]],
    ["the reserved instruction", [10, 0, 0]],
    ["more than the result has room for", [10, 3, 0x90, 4]],
  ])("%s", (_, bytes: number[]) => {
    expect(() => apply(small, Uint8Array.from(bytes))).toThrow(CorruptEntry);
  });
});
