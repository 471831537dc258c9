import { expect, test } from "bun:test";
import { rankPaths } from "./rank-paths.ts";

const paths = [
  "README.md",
  "docs/find.md",
  "src/find/find-files.ts",
  "src/web/pages.ts",
  "src/web/find/page.ts",
  "ſ/İx",
];
const found = (query: string) => rankPaths(paths, query, 10).map(({ path }) => path);

test("names count before directories, whole words before scattered letters", () => {
  expect(found("find")[0]).toBe("docs/find.md");
  expect(found("page")).toEqual(["src/web/pages.ts", "src/web/find/page.ts"]);
  expect(found("swp")).toEqual(["src/web/pages.ts", "src/web/find/page.ts"]);
  expect(found("web/pa")).toEqual(["src/web/pages.ts", "src/web/find/page.ts"]);
  expect(found("readme")).toEqual(["README.md"]);
  expect(found("zzz")).toEqual([]);
  expect(found("")).toEqual(paths);
});

test("says where it matches", () => {
  expect(rankPaths(paths, "find fi", 1)[0]?.ranges).toEqual([
    [9, 13],
    [14, 16],
  ]);
  expect(rankPaths(["a/İx"], "x", 1)).toMatchObject([{ path: "a/İx", ranges: [[3, 4]] }]);
});
