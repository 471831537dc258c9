import { expect, test } from "bun:test";
import { encodeBase32 } from "./base32.ts";

test("the vectors of RFC 4648, without their padding", () => {
  const encoded = ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map((text) =>
    encodeBase32(new TextEncoder().encode(text)),
  );
  expect(encoded).toEqual(["", "MY", "MZXQ", "MZXW6", "MZXW6YQ", "MZXW6YTB", "MZXW6YTBOI"]);
});

test("bytes with every bit set", () => {
  expect(encodeBase32(new Uint8Array(5).fill(255))).toBe("77777777");
});
