import { describe, expect, test } from "bun:test";
import { findTotpStep, generateTotpSecret, totpAddress, totpCode, totpStep } from "./totp.ts";

const secret = new TextEncoder().encode("12345678901234567890");

// RFC 6238, appendix B, for SHA-1: the last six of its eight digits.
test.each([
  [59, "287082"],
  [1_111_111_109, "081804"],
  [1_111_111_111, "050471"],
  [1_234_567_890, "005924"],
  [2_000_000_000, "279037"],
  [20_000_000_000, "353130"],
])("at second %d the code is %s", (seconds, code) => {
  expect(totpCode(secret, totpStep(seconds * 1000))).toBe(code);
  expect(findTotpStep(secret, code, seconds * 1000)).toBe(Math.floor(seconds / 30));
});

describe("a code is taken", () => {
  const now = 1_700_000_000_000;
  const step = totpStep(now);
  test.each([
    [-2, null],
    [-1, step - 1],
    [0, step],
    [1, step + 1],
    [2, null],
  ])("%d steps from now: %p", (offset, found) => {
    expect(findTotpStep(secret, totpCode(secret, step + offset), now)).toBe(found);
  });

  test.each(["", "12345", "1234567", "abcdef", "٠٠٠٠٠٠"])("never when it is %p", (code) => {
    expect(findTotpStep(secret, code, now)).toBeNull();
  });
});

test("secrets are 160 bits and differ; the address has all that a program needs", () => {
  const made = generateTotpSecret();
  expect(made).toHaveLength(20);
  expect(generateTotpSecret()).not.toEqual(made);
  expect(totpAddress(secret, "forge.example:3000", "alice")).toBe(
    "otpauth://totp/forge.example%3A3000:alice?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=forge.example%3A3000&algorithm=SHA1&digits=6&period=30",
  );
});
