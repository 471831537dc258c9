import { describe, expect, test } from "bun:test";
import { CorruptEntry } from "./errors.ts";
import { EntryHeader, EntryKind, parseEntryHeader, writeBaseDistance, writeEntryHeader } from "./pack-entry.ts";

const sizes = [0, 1, 15, 16, 127, 128, 2047, 2048, 2 ** 31, 2 ** 32 + 5, 2 ** 40 + 1];
const distances = [1, 127, 128, 129, 16_511, 16_512, 2 ** 31, 2 ** 32 + 7, 2 ** 45];

test.each(sizes)("a whole object of %d bytes", (size) => {
  const bytes = new Uint8Array(32);
  const end = writeEntryHeader(bytes, 3, 3, size);
  const header = new EntryHeader();
  parseEntryHeader(bytes, 3, end, 20, header);
  expect(header).toEqual({ kind: 3, size, headerBytes: end - 3, baseDistance: 0, baseOidAt: -1 });
});

test.each(distances)("a delta of a base %d bytes earlier", (distance) => {
  const bytes = new Uint8Array(32);
  const end = writeBaseDistance(bytes, writeEntryHeader(bytes, 0, EntryKind.ofsDelta, 300), distance);
  const header = new EntryHeader();
  parseEntryHeader(bytes, 0, end, 20, header);
  expect(header).toMatchObject({ kind: EntryKind.ofsDelta, size: 300, headerBytes: end, baseDistance: distance });
});

test.each([20, 32])("a delta that names its base with %d bytes", (oidBytes) => {
  const bytes = new Uint8Array(40);
  const end = writeEntryHeader(bytes, 0, EntryKind.refDelta, 40);
  const header = new EntryHeader();
  parseEntryHeader(bytes, 0, end + oidBytes, oidBytes, header);
  expect(header).toMatchObject({ kind: EntryKind.refDelta, size: 40, headerBytes: end + oidBytes, baseOidAt: end });
});

function parse(...bytes: number[]): () => void {
  return () => parseEntryHeader(Uint8Array.from(bytes), 0, bytes.length, 20, new EntryHeader());
}

describe("is refused", () => {
  test("kind 0", () => expect(parse(0x01)).toThrow(CorruptEntry));
  test("kind 5", () => expect(parse(0x51)).toThrow(CorruptEntry));
  test("an endless size", () => expect(parse(...Array<number>(30).fill(0xff), 0)).toThrow(CorruptEntry));
  test("a base that is the entry itself", () => expect(parse(0x61, 0x00)).toThrow(CorruptEntry));
  test("an endless distance", () => expect(parse(0x61, ...Array<number>(30).fill(0xff), 0)).toThrow(CorruptEntry));
  test.each([[[]], [[0xb1]], [[0x61, 0x80]], [[0x71, 1, 2, 3]]])("cut off: %j", (bytes: number[]) => {
    let thrown: unknown;
    try {
      parse(...bytes)();
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(CorruptEntry);
    expect((thrown as CorruptEntry).inputEnded).toBe(true);
  });
});
