import { expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { isEd25519PublicKey } from "./ed25519-point.ts";

const bytes = (hex: string) => Buffer.from(hex, "hex");

test("keys that were generated are keys", () => {
  for (let index = 0; index < 20; index++) {
    const { x = "" } = generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" });
    expect(isEd25519PublicKey(Buffer.from(x, "base64url"))).toBe(true);
  }
});

test.each([
  ["the neutral element", `01${"00".repeat(31)}`],
  ["order 2", `ec${"ff".repeat(30)}7f`],
  ["order 4", "00".repeat(32)],
  ["order 4, the other sign", `${"00".repeat(31)}80`],
  ["order 8", "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"],
  ["order 8, the other sign", "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85"],
  ["order 8, another y", "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"],
  ["a y that is not reduced", `ed${"ff".repeat(30)}7f`],
  ["a y that is not reduced, off by one", `ee${"ff".repeat(30)}7f`],
  ["no point of the curve", `02${"00".repeat(31)}`],
  ["too short", "05"],
])("%s is none", (_, hex) => {
  expect(isEd25519PublicKey(bytes(hex))).toBe(false);
});
