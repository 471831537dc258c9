import { expect, test } from "bun:test";
import { isAllowed, isShown, tellFileKind } from "./file-kind.ts";

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const kindOf = (contentType: string) => ({ contentType, width: null, height: null });

test("an image is known by its content, with its size", async () => {
  const kind = await tellFileKind(png, true);
  expect(kind).toEqual({ contentType: "image/png", width: 1, height: 1 });
  expect([isShown(kind, 1), isShown(kind, 0)]).toEqual([true, false]);
  expect(isShown({ ...kind, contentType: "image/svg+xml" }, 100)).toBe(false);
});

test.each([
  ["nothing", "", "text/plain; charset=utf-8"],
  ["XML", '<?xml version="1.0"?><x/>', "text/plain; charset=utf-8"],
  ["HTML", "<html>", "text/plain; charset=utf-8"],
  ["UTF-8", "grüße", "text/plain; charset=utf-8"],
  ["text with a NUL", "a\0b", "application/octet-stream"],
  ["gzip", new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]), "application/gzip"],
  ["no UTF-8", new Uint8Array([0xe9, 0xe9]), "application/octet-stream"],
] as const)("%s has the media type that its bytes tell", async (_, content, type) => {
  expect((await tellFileKind(Buffer.from(content as string), true)).contentType).toBe(type);
});

test("a character that the part cuts off is still text", async () => {
  const cut = Buffer.from("é").subarray(0, 1);
  expect((await tellFileKind(cut, false)).contentType).toStartWith("text/plain");
  expect((await tellFileKind(cut, true)).contentType).toBe("application/octet-stream");
});

test.each([
  ["x.ZIP", "application/zip", [".zip"], true],
  ["x.tar.gz", "application/gzip", [".tar.gz"], true],
  ["x.zip", "application/zip", ["application/zip"], true],
  ["x", "text/plain; charset=utf-8", ["text/plain"], true],
  ["x", "image/png", ["image/*"], true],
  ["x", "anything/else", ["*/*"], true],
  ["x", "anything/else", [], true],
  ["x.exe", "application/x-msdownload", [".zip", "image/*"], false],
  ["x.png", "text/plain; charset=utf-8", ["image/*"], false],
] as const)("a file %s of the type %s is among %j: %j", (name, type, allowed, isSo) => {
  expect(isAllowed(name, kindOf(type), allowed)).toBe(isSo);
});
