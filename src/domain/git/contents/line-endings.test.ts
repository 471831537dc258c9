import { expect, test } from "bun:test";
import { typedText, withEndingsOf } from "./line-endings.ts";

const bytes = (text: string) => Buffer.from(text);
const written = (before: string | null, typed: string) =>
  Buffer.from(withEndingsOf(before === null ? null : bytes(before), typed)).toString();

test.each([
  ["a new file has line feeds", null, "a\r\nb", "a\nb"],
  ["line feeds stay", "a\nb\n", "a\r\nc\r\n", "a\nc\n"],
  ["carriage returns stay", "a\r\nb\r\n", "a\r\nc\r\n", "a\r\nc\r\n"],
  ["those of old systems, too", "a\rb\r", "a\r\nc\r\n", "a\rc\r"],
  ["no end of the last line", "a\nb", "a\r\nc", "a\nc"],
  ["a byte order mark", "\uFEFFa\n", "b\r\n", "\uFEFFb\n"],
  [
    "mixed ones, each at its line",
    "a\r\nb\nc\nd\r\ne\n",
    "new\r\na\r\nb\r\nc\r\nd\r\ne\r\n",
    "new\na\r\nb\nc\nd\r\ne\n",
  ],
  ["mixed ones behind a byte order mark", "\uFEFFa\r\nb\nc", "a\r\nB\r\nc", "\uFEFFa\r\nB\nc"],
  ["an empty file", "", "a\r\n", "a\n"],
  ["nothing is left", "a\r\n", "", ""],
])("%s", (_name, before, typed, expected) => {
  expect(written(before, typed)).toBe(expected);
});

test("a text that was not changed is written as it was", () => {
  for (const text of ["a\r\nb\nc\rd", "\uFEFFx\r\n\r\n\n", "\n\n", "\r\r\n", "é😀\n"]) {
    expect(written(text, typedText(bytes(text)) ?? "")).toBe(text);
  }
});

test("what is no text has none", () => {
  expect(typedText(Buffer.from([0x61, 0]))).toBeNull();
  expect(typedText(Buffer.from([0xff, 0xfe]))).toBeNull();
});
