import { expect, test } from "bun:test";
import { decodeText } from "./decode-text.ts";

const bytes = (...values: number[]) => Uint8Array.from(values);

test("a byte order mark decides, and is no part of the text", () => {
  expect(decodeText(bytes(0xef, 0xbb, 0xbf, 0x61))).toEqual({ text: "a", encoding: "UTF-8", replaced: 0 });
  expect(decodeText(bytes(0xff, 0xfe, 0x61, 0, 0xe9, 0))?.text).toBe("aé");
  expect(decodeText(bytes(0xfe, 0xff, 0, 0x61))?.encoding).toBe("UTF-16 (big-endian)");
  expect(decodeText(bytes(0xff, 0xfe, 0, 0xd8, 0x61, 0))?.replaced).toBe(1);
});

test("broken places of UTF-8 are counted; a text in another encoding is read as Windows-1252", () => {
  expect(decodeText(Buffer.concat([Buffer.from("ééééé"), bytes(0xff)]))).toEqual({
    text: "ééééé\uFFFD",
    encoding: "UTF-8",
    replaced: 1,
  });
  expect(decodeText(Buffer.from("caf\xe9 \x80", "latin1"))).toEqual({
    text: "café €",
    encoding: "Windows-1252",
    replaced: 0,
  });
});

test("bytes that are no text are none, and an end within a character is left out of a part", () => {
  expect(decodeText(bytes(0x61, 0))).toBeNull();
  expect(decodeText(bytes(0x01, 0xff, 0x02))).toBeNull();
  expect(decodeText(bytes(0x61, 0xc3), true)).toEqual({ text: "a", encoding: "UTF-8", replaced: 0 });
  expect(decodeText(bytes())).toEqual({ text: "", encoding: "UTF-8", replaced: 0 });
});
