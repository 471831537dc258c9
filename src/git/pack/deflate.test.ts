import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import zlib from "node:zlib";
import { deflate, deflateOnce, largestQuickBytes } from "./deflate.ts";

const texts: [string, Uint8Array][] = [
  ["nothing", new Uint8Array(0)],
  ["a byte", Uint8Array.of(255)],
  ["a text", Buffer.from("all work and no play ".repeat(5000))],
  ["noise", crypto.getRandomValues(new Uint8Array(60_000))],
  ["a part of a buffer", new Uint8Array(Buffer.from("0123456789").buffer, 3, 4)],
];

for (const level of [1, 6] as const) {
  test.each(texts)(`%s is a zlib stream that others read, level ${level}`, (_name, bytes) => {
    const stream = deflate(bytes, level);
    expect(Buffer.compare(zlib.inflateSync(stream), bytes)).toBe(0);
    const damaged = stream.slice();
    damaged[damaged.length - 1]! ^= 1;
    expect(() => zlib.inflateSync(damaged)).toThrow("incorrect data check");
  });
}

const onceTexts = [
  ...texts,
  ["noise that just goes quickly", randomBytes(largestQuickBytes)],
  ["more noise", randomBytes(largestQuickBytes + 1)],
] as const;

test.each(onceTexts.flatMap(([name, bytes]) => [[name, true, bytes] as const, [name, false, bytes] as const]))(
  "%s is one, too, when it is sent once (quickly: %p)",
  (_name, isQuick, bytes) => {
    const parts: Uint8Array[] = [];
    deflateOnce(bytes, isQuick, (part, from, to) => parts.push(part.slice(from, to)));
    const stream = Buffer.concat(parts);
    expect(Buffer.compare(zlib.inflateSync(stream), bytes)).toBe(0);
    stream[stream.length - 1]! ^= 1;
    expect(() => zlib.inflateSync(stream)).toThrow("incorrect data check");
  },
);
