import { expect, test } from "bun:test";
import { findConflictWithin, findNameConflict } from "./name-conflict.ts";

function existing(...names: string[]) {
  return {
    has: (name: string) => names.includes(name),
    findBelow: (prefix: string) => names.find((name) => name.startsWith(prefix)) ?? null,
  };
}

test("a name conflicts with a name above it and with names below it", () => {
  expect(findNameConflict("refs/heads/a/b", existing("refs/heads/a"))).toBe("refs/heads/a");
  expect(findNameConflict("refs/heads/a", existing("refs/heads/a/b"))).toBe("refs/heads/a/b");
  expect(findNameConflict("refs/heads/a", existing("refs/heads/ab", "refs/heads/a"))).toBeNull();
});

test("a conflict within one list is found", () => {
  expect(findConflictWithin(["refs/heads/x", "refs/heads/a/b/c", "refs/heads/a"])).toEqual({
    name: "refs/heads/a/b/c",
    conflict: "refs/heads/a",
  });
  expect(findConflictWithin(["refs/heads/a", "refs/heads/ab"])).toBeNull();
});
