import { expect, test } from "bun:test";
import { PasswordChecker, PasswordChecksBusy, hashPassword } from "./password.ts";

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

test("the password of nobody costs as much as a wrong one of somebody", async () => {
  const hash = await hashPassword("right");
  const checker = new PasswordChecker();
  const cost = async (stored: string | null) => {
    const before = process.cpuUsage();
    for (let time = 0; time < 5; time++) {
      expect(await checker.check(5, stored, `wrong ${time}`)).toBe(false);
    }
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  expect(await cost(null)).toBeGreaterThan((await cost(hash)) / 4);
});

test("many checks at once all get their own answer", async () => {
  const hash = await hashPassword("right");
  const checker = new PasswordChecker();
  const answers = await Promise.all(
    ["right", "wrong", "right", "no", "right"].map((password) => checker.check(3, hash, password)),
  );
  expect(answers).toEqual([true, false, true, false, true]);
});

test("more than a hundred that wait are refused, and those that wait get their answer", async () => {
  const hash = await hashPassword("right");
  const checker = new PasswordChecker();
  let worked = 0;
  const stop = new Error("enough");
  const answers = await Promise.allSettled(
    Array.from({ length: 200 }, (_, index) =>
      checker.check(4, hash, `wrong ${index}`, () => {
        if (++worked > 4) {
          throw stop;
        }
      }),
    ),
  );
  const refused = answers.filter((one) => one.status === "rejected").map((one) => one.reason as unknown);
  expect(answers.filter((one) => one.status === "fulfilled").map((one) => one.value)).toEqual([
    false,
    false,
    false,
    false,
  ]);
  expect(refused.filter((error) => error instanceof PasswordChecksBusy)).toHaveLength(98);
  expect(refused.filter((error) => error === stop)).toHaveLength(98);
  expect(await checker.check(4, hash, "right")).toBe(true);
});

test("the same password that came many times at once is worked on twice at most", async () => {
  const hash = await hashPassword("right");
  const checker = new PasswordChecker();
  let worked = 0;
  expect(await Promise.all(Array.from({ length: 50 }, () => checker.check(5, hash, "right", () => worked++)))).toEqual(
    Array(50).fill(true),
  );
  expect(worked).toBe(2);
});
