import { expect, test } from "bun:test";
import type { Transaction } from "./client.ts";
import { RememberedRows } from "./remembered-rows.ts";

/** A table whose rows are read by id; the ids of each reading are kept. */
function table(versions: Record<number, string>, limit = 10) {
  const readings: (readonly number[])[] = [];
  const rows = new RememberedRows<{ name: string }>(async (ids) => {
    readings.push(ids);
    return ids.flatMap((id) => {
      const version = versions[id];
      return version === undefined ? [] : [{ id, version, row: { name: `${id} of ${version}` } }];
    });
  }, limit);
  return { rows, readings };
}

test("a row is read once for each version, alone or with others", async () => {
  const versions: Record<number, string> = { 1: "a", 2: "a" };
  const { rows, readings } = table(versions);
  expect(await rows.find(1, "a")).toEqual({ name: "1 of a" });
  expect(rows.find(1, "a")).toEqual({ name: "1 of a" });
  const asked = [
    [1, "a"],
    [2, "a"],
    [2, "a"],
  ] as const;
  expect([...(await rows.findAll(asked)).keys()]).toEqual([1, 2]);
  versions[1] = "b";
  expect((await rows.findAll([[1, "b"]])).get(1)).toEqual({ name: "1 of b" });
  expect(rows.find(1, "b")).toEqual({ name: "1 of b" });
  expect(readings).toEqual([[1], [2], [1]]);
});

test("a remembered row cannot be changed", async () => {
  const { rows } = table({ 1: "a" });
  const row = await rows.find(1, "a");
  expect(() => Object.assign(row!, { name: "other" })).toThrow();
});

test("a row that was deleted is none", async () => {
  const { rows } = table({});
  expect(await rows.find(1, "a")).toBeNull();
  expect(await rows.findAll([[1, "a"]])).toEqual(new Map());
});

test("what a transaction reads is not remembered: it may write the row again, of the same version", async () => {
  const { rows, readings } = table({ 1: "a" });
  const tx = {} as Transaction;
  expect(await rows.find(1, "a", tx)).toEqual({ name: "1 of a" });
  expect(await rows.find(1, "a", tx)).toEqual({ name: "1 of a" });
  expect(readings).toHaveLength(2);
});

test("the oldest rows go first", async () => {
  const { rows, readings } = table({ 1: "a", 2: "a", 3: "a" }, 2);
  for (const id of [1, 2, 3]) {
    await rows.find(id, "a");
  }
  await rows.findAll([
    [2, "a"],
    [3, "a"],
  ]);
  expect(readings).toHaveLength(3);
  await rows.find(1, "a");
  expect(readings).toHaveLength(4);
});
