import { expect, test } from "bun:test";
import { nearNames } from "./near-names.ts";

test("finds what was meant: other capitals, letters left out or changed, parts of paths", () => {
  const names = ["main", "maintenance", "release/1.0", "feature/search", "src/web/pages.ts", "docs/README.md"];
  expect(nearNames("Main", names)[0]).toBe("main");
  expect(nearNames("mian", ["main", "other"])).toEqual(["main"]);
  expect(nearNames("relase/1.0", names)).toEqual(["release/1.0"]);
  expect(nearNames("src/web/page.ts", names)[0]).toBe("src/web/pages.ts");
  expect(nearNames("zzz", names)).toEqual([]);
});

test("answers no more than asked for, and is quick with many long names", () => {
  const many = Array.from({ length: 50_000 }, (_, index) => `${"long/".repeat(100)}${index}`);
  expect(nearNames("long/".repeat(1000), many, 3)).toHaveLength(3);
  expect(nearNames("", ["", "a"])).toEqual([""]);
});
