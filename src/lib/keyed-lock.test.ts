import { expect, test } from "bun:test";
import { KeyedLock } from "./keyed-lock.ts";

test("one key one after another, even after a failure; another key at once", async () => {
  const lock = new KeyedLock();
  const events: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = lock.run("a", async () => {
    events.push("first begins");
    await gate.promise;
    events.push("first fails");
    throw new Error("expected");
  });
  const second = lock.run("a", async () => {
    events.push("second");
    return 2;
  });
  await lock.run("b", async () => {
    events.push("other");
  });
  gate.resolve();
  expect(first).rejects.toThrow("expected");
  expect(await second).toBe(2);
  expect(events).toEqual(["first begins", "other", "first fails", "second"]);
});
