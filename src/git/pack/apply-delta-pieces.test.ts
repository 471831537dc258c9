import { describe, expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { randomFrom } from "../../../test/support/random.ts";
import { applyDeltaPieces } from "./apply-delta-pieces.ts";
import { encodeDelta } from "./delta-encode.ts";
import { CorruptEntry } from "./errors.ts";
import { pieceBytes } from "./inflate-pieces.ts";
import { BytesInMemory } from "./positioned-bytes.ts";
import { SpilledObject } from "./spilled-object.ts";

function* cut(bytes: Uint8Array, each: number): Generator<Uint8Array> {
  const buffer = new Uint8Array(each);
  for (let at = 0; at < bytes.length; at += each) {
    const part = bytes.subarray(at, at + each);
    buffer.fill(0xee).set(part);
    yield buffer.subarray(0, part.length);
  }
}

function apply(base: Uint8Array, delta: Uint8Array, size: number, each: number): Buffer {
  using spilled = SpilledObject.of(tmpdir(), cut(base, 10_000));
  const [inMemory, fromFile] = [new BytesInMemory(base), spilled].map((from) => {
    const pieces = Array.from(applyDeltaPieces(from, cut(delta, each), size), (piece) => Buffer.from(piece));
    expect(pieces.slice(0, -1).every(({ length }) => length === pieceBytes)).toBe(true);
    return Buffer.concat(pieces);
  });
  expect(fromFile!.equals(inMemory!)).toBe(true);
  return inMemory!;
}

describe("a delta that is applied in pieces", () => {
  test("gives the result of what the encoder makes", () => {
    const random = randomFrom(5);
    for (let round = 0; round < 15; round++) {
      const base = random.bytes(1 + random.below(500_000));
      const parts: Uint8Array[] = [];
      for (let part = 0; part < 6; part++) {
        const at = random.below(base.length);
        parts.push(
          random.below(3) === 0 ? random.bytes(random.below(3000)) : base.subarray(at, at + random.below(200_000)),
        );
      }
      const result = Buffer.concat([base.subarray(0, 100), ...parts]);
      const delta = encodeDelta(base, result, result.length * 2 + 64);
      if (delta !== null) {
        expect(apply(base, delta, result.length, 1 + random.below(300)).equals(result)).toBe(true);
      }
    }
  });

  test("copies bytes one by one from all over a file", () => {
    const random = randomFrom(6);
    const base = random.bytes(3_000_000);
    const places = Array.from({ length: 5000 }, () => random.below(base.length - 20));
    // Their sizes, then copies of 20 bytes each.
    const delta = Buffer.concat([
      sizes(base.length, places.length * 20),
      ...places.map((at) => Uint8Array.of(0x97, at, at >> 8, at >> 16, 20)),
    ]);
    expect(
      apply(base, delta, places.length * 20, 1000).equals(
        Buffer.concat(places.map((at) => base.subarray(at, at + 20))),
      ),
    ).toBe(true);
  });

  test("makes nothing of something", () => {
    expect(apply(Buffer.from("0123456789"), Uint8Array.of(10, 0), 0, 1).length).toBe(0);
  });
});

function sizes(...numbers: readonly number[]): Uint8Array {
  const bytes: number[] = [];
  for (const number of numbers) {
    let rest = number;
    for (; rest >= 128; rest = Math.floor(rest / 128)) {
      bytes.push((rest % 128) | 0x80);
    }
    bytes.push(rest);
  }
  return Uint8Array.from(bytes);
}

describe("is refused, wherever its pieces end:", () => {
  const small = Buffer.from("0123456789");
  test.each([
    ["nothing", 1, []],
    ["a size that does not end", 1, [0x8a, 0x80]],
    ["a size of too many bytes", 1, [10, ...Array<number>(12).fill(0x80), 0]],
    ["another base", 1, [9, 1, 1, 65]],
    ["another result", 1, [10, 2, 2, 65, 65]],
    ["too little made", 5, [10, 5, 1, 65]],
    ["too much made", 1, [10, 1, 2, 65, 66]],
    ["a copy from behind the base", 5, [10, 5, 0x91, 8, 5]],
    ["a copy of 64 KB", 5, [10, 5, 0x80]],
    ["a copy from 4 GB on", 5, [10, 5, 0x9f, 255, 255, 255, 255, 5]],
    ["an instruction that is cut off", 5, [10, 5, 0x91, 8]],
    ["an insert that is cut off", 5, [10, 5, 5, 65]],
    ["the reserved instruction", 0, [10, 0, 0]],
    ["more than the result has room for", 3, [10, 3, 0x90, 4]],
  ])("%s", (_, size: number, bytes: number[]) => {
    for (const each of [1, 2, 100]) {
      expect(() => apply(small, Uint8Array.from(bytes), size, each)).toThrow(CorruptEntry);
    }
  });
});
