import { expect, test } from "bun:test";
import { parseWebAddress } from "./web-address.ts";

test("addresses of the web are read, and nothing else is", () => {
  for (const text of ["https://example.com", "HTTP://example.com/a?b#c", " https://example.com "]) {
    expect(parseWebAddress(text)?.hostname).toBe("example.com");
  }
  for (const text of [
    "",
    "example.com",
    "javascript:alert(1)",
    "https:example.com",
    "ftp://example.com",
    "https://",
    "file:///a",
  ]) {
    expect(parseWebAddress(text)).toBeNull();
  }
});
