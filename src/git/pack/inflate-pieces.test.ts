import { describe, expect, test } from "bun:test";
import zlib from "node:zlib";
import { randomFrom } from "../../../test/support/random.ts";
import { CorruptEntry } from "./errors.ts";
import { inflatePieces, pieceBytes, type CompressedInput } from "./inflate-pieces.ts";

/** Gives `bytes` in pieces of this many, in one buffer that is overwritten each time. */
function inputOf(bytes: Uint8Array, each: number): CompressedInput {
  const buffer = new Uint8Array(each);
  let at = 0;
  return {
    next() {
      const part = bytes.subarray(at, (at += each));
      buffer.fill(0xee).set(part);
      return part.length === 0 ? null : buffer.subarray(0, part.length);
    },
  };
}

function inflate(bytes: Uint8Array, each: number, size: number): { content: Buffer; left: number } {
  const pieces: Buffer[] = [];
  const steps = inflatePieces(inputOf(bytes, each), size);
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) {
    pieces.push(Buffer.from(step.value));
  }
  expect(pieces.slice(0, -1).every(({ length }) => length === pieceBytes)).toBe(true);
  return { content: Buffer.concat(pieces), left: step.value };
}

const random = randomFrom(1);
const text = Buffer.from("All happy families are alike; ".repeat(40));
const deflated = zlib.deflateSync(text);

describe("inflating in pieces", () => {
  test.each([0, 1, pieceBytes - 1, pieceBytes, pieceBytes + 1, 3 * pieceBytes, 1_000_000])(
    "gives all %d bytes, of what deflates well and what does not",
    (size) => {
      for (const content of [Buffer.alloc(size, "abcdefgh"), random.bytes(size)]) {
        const stream = zlib.deflateSync(content);
        for (const each of [pieceBytes, 4999]) {
          const { content: found } = inflate(stream, each, size);
          expect(found.equals(content)).toBe(true);
        }
      }
    },
  );

  test("tells how much of the last input is not the stream's, wherever that ends", () => {
    for (let each = 1; each < deflated.length + 12; each++) {
      const { content, left } = inflate(Buffer.concat([deflated, Buffer.from("what follows")]), each, text.length);
      expect(content.equals(text)).toBe(true);
      const pieces = Math.ceil((deflated.length + (left === 0 ? 0 : 1)) / each);
      expect(Math.min(pieces * each, deflated.length + 12) - left).toBe(deflated.length);
    }
    expect(inflate(deflated, 7, text.length).left).toBe(0);
  });

  test("refuses a stream of another size, one that is cut off or has a wrong checksum, and garbage; and goes on with the next", () => {
    const large = zlib.deflateSync(Buffer.alloc(5 * pieceBytes, "long"));
    const wrong = Buffer.from(deflated);
    wrong[wrong.length - 2]! ^= 4;
    const bad: [Uint8Array, number][] = [
      [deflated, text.length - 1],
      [deflated, text.length + 1],
      [large, 5 * pieceBytes - 1],
      [large, 4 * pieceBytes],
      [wrong, text.length],
      [random.bytes(200), 100],
      [deflated.subarray(0, 0), text.length],
    ];
    for (let length = 0; length < deflated.length; length++) {
      bad.push([deflated.subarray(0, length), text.length]);
    }
    for (const [bytes, size] of bad) {
      for (const each of [3, 100_000]) {
        expect(() => inflate(bytes, each, size)).toThrow(CorruptEntry);
        expect(inflate(deflated, each, text.length).content.equals(text)).toBe(true);
      }
    }
  });
});
