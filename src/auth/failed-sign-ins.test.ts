import { expect, test } from "bun:test";
import { FailedSignIns, TooManyFailedSignIns } from "./failed-sign-ins.ts";

test("an address waits for the rest of its minute after too many failures, and no other address does", () => {
  let now = 1_000_000;
  const failures = new FailedSignIns(3, () => now);
  for (let attempt = 0; attempt < 3; attempt++) {
    failures.check("192.0.2.1");
    failures.record("192.0.2.1");
    now += 5000;
  }
  expect(() => failures.check("192.0.2.1")).toThrow(TooManyFailedSignIns);
  expect(() => failures.check("192.0.2.2")).not.toThrow();
  try {
    failures.check("192.0.2.1");
  } catch (error) {
    expect((error as TooManyFailedSignIns).retryAfterSeconds).toBe(45);
  }
  now += 45_000;
  expect(() => failures.check("192.0.2.1")).not.toThrow();
});

test.each([
  ["2001:db8:0:1::1", "2001:DB8:0:1:ffff:ffff:ffff:ffff", true],
  ["2001:db8::1", "2001:db8:0:0:1::", true],
  ["2001:db8:0:1::1", "2001:db8:0:2::1", false],
  ["fe80::1%eth0", "fe80::2%eth1", true],
  ["::ffff:192.0.2.1", "192.0.2.1", true],
  ["192.0.2.1", "192.0.2.2", false],
])("%s and %s are one network: %p", (one, other, same) => {
  const failures = new FailedSignIns(1);
  failures.record(one);
  const look = expect(() => failures.check(other));
  if (same) {
    look.toThrow(TooManyFailedSignIns);
  } else {
    look.not.toThrow();
  }
});
