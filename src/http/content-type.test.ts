import { expect, test } from "bun:test";
import { contentDisposition, contentType } from "./content-type.ts";

const typeOf = (bytes: string | Uint8Array) => {
  const head = typeof bytes === "string" ? Buffer.from(bytes) : bytes;
  return contentType(head, head.length);
};

test("nothing that could run in a browser keeps its type", () => {
  expect(typeOf("<!doctype html><script>alert(1)</script>")).toBe("text/plain; charset=utf-8");
  expect(typeOf('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')).toBe("text/plain; charset=utf-8");
  expect(typeOf("%PDF-1.7\n\0")).toBe("application/octet-stream");
});

test("text and images are told from their bytes", () => {
  expect(typeOf("")).toBe("text/plain; charset=utf-8");
  expect(typeOf("grüße 👋")).toBe("text/plain; charset=utf-8");
  expect(typeOf(Buffer.from("gr\xfc\xdfe", "latin1"))).toBe("text/plain");
  expect(typeOf(Buffer.from("\x89PNG\r\n\x1a\n\0\0", "latin1"))).toBe("image/png");
  expect(typeOf(new Uint8Array([1, 2, 3, 0]))).toBe("application/octet-stream");
  expect(typeOf(new Uint8Array([1, 0xff, 3]))).toBe("application/octet-stream");
});

test("a character that the end of the part cuts off is still text", () => {
  const text = Buffer.from("aaé");
  expect(contentType(text.subarray(0, 3), text.length)).toBe("text/plain; charset=utf-8");
  expect(contentType(text.subarray(0, 3), 3)).toBe("text/plain");
});

test("odd names do not break out of the header", () => {
  expect(contentDisposition("text/plain", 'a"b\r\n;é%.txt')).toBe(
    `inline; filename="a_b__;__.txt"; filename*=UTF-8''a%22b%0D%0A%3B%C3%A9%25.txt`,
  );
  expect(contentDisposition("application/octet-stream", "x")).toStartWith("attachment; ");
});
