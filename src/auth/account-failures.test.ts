import { expect, test } from "bun:test";
import { AccountFailures } from "./account-failures.ts";
import { TooManyFailedSignIns } from "./failed-sign-ins.ts";

const quarter = 15 * 60_000;

test("an account is guessed at so often in a quarter of an hour, from whatever address, and no other one is concerned", () => {
  let now = 1_000_000;
  const failures = new AccountFailures(2, () => now);
  for (const password of ["a", "a", "a"]) {
    failures.recordWrongPassword("7", password);
    failures.checkPassword("7", "192.0.2.1");
  }
  failures.recordWrongPassword("7", "b");
  expect(() => failures.checkPassword("7", "192.0.2.9")).toThrow(TooManyFailedSignIns);
  expect(failures.mustWait("7", "192.0.2.9")).toBe(true);
  failures.checkPassword("8", "192.0.2.9");
  now += quarter;
  failures.checkPassword("7", "192.0.2.9");
});

test("where it was signed in to, it goes on being, from the whole network of an IPv6 address", () => {
  const failures = new AccountFailures(1);
  failures.recordSignIn("7", "2001:db8::1");
  failures.recordWrongPassword("7", "a");
  failures.checkPassword("7", "2001:db8::ffff");
  expect(() => failures.checkPassword("7", "2001:db8:0:1::1")).toThrow(TooManyFailedSignIns);
  expect(() => failures.checkPassword("70", "2001:db8::1")).not.toThrow();
});

test("codes are counted before they are looked at, right ones are taken back, and no address is spared", () => {
  let now = 1_000_000;
  const failures = new AccountFailures(100, () => now);
  failures.recordSignIn("7", "192.0.2.1");
  for (let code = 0; code < 30; code++) {
    failures.beginCode("7");
    failures.endRightCode("7");
  }
  for (let code = 0; code < 10; code++) {
    failures.beginCode("7");
  }
  expect(() => failures.beginCode("7")).toThrow(TooManyFailedSignIns);
  failures.beginCode("8");
  now += quarter;
  failures.beginCode("7");
});
