import { expect, test } from "bun:test";
import { jsonTree } from "./json-tree.ts";

test("shows keys and values as they stand, folded below the second level, with nothing of it taken for markup", () => {
  const { text } = jsonTree(
    '{"a": 12345678901234567890123, "<b>": ["x", null, true, {}], "__proto__": {"c": {"d": 1}}}',
  )!;
  expect(text).toContain('<i class="n">12345678901234567890123</i>');
  expect(text).toContain("&lt;b&gt;");
  expect(text).toContain('<i class="k">null</i>');
  expect(text).toContain("__proto__");
  expect(text.match(/<details open>/g)?.length).toBe(3);
  expect(text.match(/<details>/g)?.length).toBe(1);
});

test("is bounded, and is none for what is no JSON or nests too deeply", () => {
  expect(jsonTree("{")).toBeNull();
  expect(jsonTree("")).toBeNull();
  expect(jsonTree(`[${"1,".repeat(100_000)}1]`)?.text).toContain("and 95,002 more");
  const deep = jsonTree("[".repeat(200) + "]".repeat(200))?.text ?? "";
  expect(deep.match(/<details/g)?.length).toBe(41);
  expect(() => jsonTree("[".repeat(250_000) + "]".repeat(250_000))).not.toThrow();
});
