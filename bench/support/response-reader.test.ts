import { expect, test } from "bun:test";
import { ResponseReader } from "./response-reader.ts";

const answers = [
  "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello",
  'HTTP/1.1 304 Not Modified\r\nETag: "x"\r\nContent-Length: 12\r\n\r\n',
  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n10\r\n0123456789abcdef\r\n0\r\n\r\n",
  "HTTP/1.1 401 Unauthorized\r\ncontent-length:0\r\n\r\n",
  "HTTP/1.1 204 No Content\r\n\r\n",
].join("");
const expected = [
  [200, 5],
  [304, 0],
  [200, 19],
  [401, 0],
  [204, 0],
];

for (const size of [1, 7, 64, answers.length]) {
  test(`answers that arrive in pieces of ${size} bytes are told apart`, () => {
    const seen: number[][] = [];
    const reader = new ResponseReader((status, bodyBytes) => seen.push([status, bodyBytes]));
    const bytes = Buffer.from(answers);
    for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
    expect(seen).toEqual(expected);
  });
}

test("an answer whose end cannot be known is an error", () => {
  const reader = new ResponseReader(() => undefined);
  expect(() => reader.push(Buffer.from("HTTP/1.1 200 OK\r\n\r\n"))).toThrow("no length");
});
