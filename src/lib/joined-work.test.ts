import { expect, test } from "bun:test";
import { JoinedWork } from "./joined-work.ts";

test("who asks while the work runs shares it; who asks later begins it again", async () => {
  const joined = new JoinedWork<number>();
  const gate = Promise.withResolvers<void>();
  let begun = 0;
  const ask = (key: string) =>
    joined.do(key, async () => {
      const own = ++begun;
      await gate.promise;
      return own;
    });
  const asked = [ask("one"), ask("one"), ask("two"), ask("one")];
  gate.resolve();
  expect(await Promise.all(asked)).toEqual([1, 1, 2, 1]);
  expect(await ask("one")).toBe(3);
});

test("a failure is everybody's who shared it, and nobody's afterwards", async () => {
  const joined = new JoinedWork<string>();
  const fail = () => joined.do("key", async () => Promise.reject(new Error("gone")));
  const both = await Promise.allSettled([fail(), fail()]);
  expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await joined.do("key", async () => "there")).toBe("there");
});
