import { expect, test } from "bun:test";
import { PasswordChecker, hashPassword } from "./password.ts";

test("a password is right for its own hash only, remembered or not", async () => {
  const [old, changed] = await Promise.all([hashPassword("correct horse"), hashPassword("battery staple")]);
  expect(old).toStartWith("$argon2id$v=19$m=19456,t=2,p=1$");
  const checker = new PasswordChecker();
  expect(await checker.check(1, old, "correct horse")).toBe(true);
  expect(await checker.check(1, old, "correct horse")).toBe(true);
  expect(await checker.check(1, old, "correct hors")).toBe(false);
  // The hash changed: what was remembered of the old one counts for nothing.
  expect(await checker.check(1, changed, "correct horse")).toBe(false);
  expect(await checker.check(1, changed, "battery staple")).toBe(true);
});

test("somebody without a password, and a hash that is none, never match", async () => {
  const checker = new PasswordChecker();
  expect(await checker.check(0, null, "")).toBe(false);
  expect(await checker.check(2, "not a hash", "x")).toBe(false);
});

test("many checks at once all get their own answer", async () => {
  const hash = await hashPassword("right");
  const checker = new PasswordChecker();
  const answers = await Promise.all(["right", "wrong", "right", "no", "right"].map((password) => checker.check(3, hash, password)));
  expect(answers).toEqual([true, false, true, false, true]);
});
