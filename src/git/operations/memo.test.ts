import { expect, test } from "bun:test";
import { Memo, MemoScope } from "./memo.ts";

test("a memo keeps what was used last within its bytes", () => {
  const memo = new Memo(1000);
  memo.keep("a", 1, 400);
  memo.keep("b", 2, 400);
  expect(memo.find<number>("a")).toBe(1);
  memo.keep("c", 3, 400);
  expect([memo.find<number>("a"), memo.find<number>("b"), memo.find<number>("c")]).toEqual([1, null, 3]);
  memo.keep("c", 4, 100);
  memo.keep("d", 5, 400);
  expect([memo.find<number>("a"), memo.find<number>("c"), memo.find<number>("d")]).toEqual([1, 4, 5]);
  memo.keep("large", 6, 2000);
  expect(memo.find<number>("large")).toBeNull();
});

test("scopes of one memo do not see each other's results", () => {
  const memo = new Memo(1000);
  const [one, two] = [new MemoScope(memo, "1\0"), new MemoScope(memo, "2\0")];
  one.keep("x", "of one", 10);
  expect(one.find<string>("x")).toBe("of one");
  expect(two.find<string>("x")).toBeNull();
});

test("what is packed is the same when it is asked for", () => {
  const memo = new Memo(1000);
  const scope = new MemoScope(memo, "1\0");
  const data = { names: ["a", "ü"], oid: Buffer.from("1234").subarray(1), of: { each: [null, 1] } };
  const object = new Map([["a", () => 1]]);
  scope.keep("data", data, 400);
  scope.keep("flag", true, 10);
  scope.keepObject("object", object, 10);
  for (let time = 0; time < 2; time++) {
    memo.pack();
    memo.pack();
    const found = scope.find<typeof data>("data");
    expect(found).not.toBe(data);
    expect({ ...found, oid: Buffer.from(found!.oid) }).toEqual(data);
    expect(scope.find<typeof data>("data")).toBe(found);
    expect(scope.find<boolean>("flag")).toBe(true);
    expect(scope.find<typeof object>("object")).toBe(object);
  }
  // It counts as before.
  scope.keep("other", 1, 700);
  expect(scope.find("data")).toBeNull();
});
