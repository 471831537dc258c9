import { expect, test } from "bun:test";
import { InvalidInput } from "../../lib/errors.ts";
import { sha1, sha256 } from "./object-format.ts";
import { bytesToHex, hexToBytes, isOid, parseHexAt } from "./oid.ts";

test("hexadecimal and back", () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, at) => at);
  expect(hexToBytes(bytesToHex(bytes))).toEqual(bytes);
  expect(bytesToHex(bytes)).toBe(Buffer.from(bytes).toString("hex"));
  expect(bytesToHex(bytes, 16, 2)).toBe("1011");
  expect(hexToBytes("FFaa", new Uint8Array(4), 1)).toEqual(Uint8Array.of(0, 255, 170, 0));
});

test.each(["0g", "0", "0é", "0\u0130", "  "])("%j is refused", (hex) => {
  expect(() => hexToBytes(hex)).toThrow(InvalidInput);
});

test("an oid is all lower-case digits of its format's length", () => {
  expect(isOid("a".repeat(40), sha1)).toBe(true);
  expect(isOid("A".repeat(40), sha1)).toBe(false);
  expect(isOid("a".repeat(40), sha256)).toBe(false);
  expect(isOid(`${"a".repeat(39)}\n`, sha1)).toBe(false);
});

test("an oid inside a buffer", () => {
  const out = new Uint8Array(2);
  const text = Buffer.from("tree 0aFf\n");
  expect(parseHexAt(text, 5, out)).toBe(true);
  expect(out).toEqual(Uint8Array.of(0x0a, 0xff));
  expect(parseHexAt(text, 6, out)).toBe(false);
  expect(parseHexAt(text, 7, out)).toBe(false);
});
