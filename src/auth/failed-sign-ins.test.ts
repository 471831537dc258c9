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
