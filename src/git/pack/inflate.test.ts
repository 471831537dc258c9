import { describe, expect, test } from "bun:test";
import zlib from "node:zlib";
import { randomFrom } from "../../../test/support/random.ts";
import { CorruptEntry } from "./errors.ts";
import { makeHandleInflater } from "./handle-inflater.ts";
import { inflateInto, inflateSpareBytes } from "./inflate.ts";
import { streamInflater, type Inflater } from "./stream-inflater.ts";

const text = Buffer.from("All happy families are alike; ".repeat(40));
const deflated = zlib.deflateSync(text);

const inflaters: readonly (readonly [string, Inflater, number])[] = [
  ["one handle for all", makeHandleInflater()!, 1],
  ["one handle for all, with bytes to spare", makeHandleInflater()!, inflateSpareBytes],
  ["a stream for each", streamInflater, 1],
];

function inflate(inflater: Inflater, source: Uint8Array, size: number, spare: number): Uint8Array {
  const target = new Uint8Array(size + spare);
  inflater.into(source, 0, source.length, target, 0, size, spare);
  return target.subarray(0, size);
}

describe.each(inflaters)("inflating with %s", (_, inflater, spare) => {
  test("tells how much it took, and leaves what is around alone", () => {
    const source = Buffer.concat([Buffer.from("xxx"), deflated, Buffer.from("yyyy")]);
    const target = new Uint8Array(text.length + spare + 19).fill(7);
    expect(inflater.into(source, 3, source.length, target, 5, text.length, spare)).toBe(deflated.length);
    expect(Buffer.from(target.subarray(5, 5 + text.length))).toEqual(text);
    expect([...target.subarray(0, 5), ...target.subarray(5 + text.length + spare)]).toEqual(Array<number>(19).fill(7));
  });

  test("works for nothing and for much", () => {
    expect(inflate(inflater, zlib.deflateSync(new Uint8Array(0)), 0, spare).length).toBe(0);
    const large = randomFrom(1).bytes(3_000_000);
    expect(Bun.hash(inflate(inflater, zlib.deflateSync(large), large.length, spare))).toBe(Bun.hash(large));
  });

  test("gives the start of a stream", () => {
    const target = new Uint8Array(10);
    inflater.start(deflated, 0, deflated.length, target, 9);
    expect(Buffer.from(target).toString()).toBe("All happy\0");
    expect(() => inflater.start(zlib.deflateSync(Buffer.from("ab")), 0, 10, target, 9)).toThrow(CorruptEntry);
  });
});

function refused(inflater: Inflater, source: Uint8Array, size: number, spare: number): CorruptEntry {
  let thrown: unknown;
  try {
    inflate(inflater, source, size, spare);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(CorruptEntry);
  expect(Buffer.from(inflate(inflater, deflated, text.length, spare))).toEqual(text);
  return thrown as CorruptEntry;
}

describe.each(inflaters)("%s refuses, and goes on with the next stream", (_, inflater, spare) => {
  test("a stream of another size", () => {
    expect(refused(inflater, deflated, text.length - 1, spare).inputEnded).toBe(false);
    expect(refused(inflater, deflated, text.length + 1, spare).inputEnded).toBe(false);
  });
  test("a stream cut off anywhere", () => {
    for (let length = 0; length < deflated.length; length++) {
      expect(refused(inflater, deflated.subarray(0, length), text.length, spare).inputEnded).toBe(true);
    }
  });
  test("a wrong checksum, a preset dictionary, garbage", () => {
    const wrong = Buffer.from(deflated);
    wrong[wrong.length - 2]! ^= 4;
    refused(inflater, wrong, text.length, spare);
    refused(inflater, zlib.deflateSync(text, { dictionary: Buffer.from("families") }), text.length, spare);
    refused(inflater, randomFrom(2).bytes(200), 100, spare);
  });
  test("any flipped bit, unless the output is the same", () => {
    const random = randomFrom(3);
    for (let round = 0; round < 2000; round++) {
      const broken = Buffer.from(deflated);
      broken[random.below(broken.length)]! ^= 1 << random.below(8);
      try {
        expect(Buffer.from(inflate(inflater, broken, text.length, spare))).toEqual(text);
      } catch (error) {
        expect(error).toBeInstanceOf(CorruptEntry);
      }
    }
  });
});

test("inflating refuses a target without room for the byte that tells a stream is too long", () => {
  expect(() => inflateInto(deflated, 0, deflated.length, new Uint8Array(text.length), 0, text.length, 1)).toThrow(
    RangeError,
  );
  expect(() => inflateInto(deflated, 0, deflated.length, new Uint8Array(text.length), 0, text.length, 0)).toThrow(
    RangeError,
  );
});
